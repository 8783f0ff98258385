"""Digits of 8 x 8 pixels, a small convolutional network, Adam."""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="digits", validation=0.1, limit=config_dict.placeholder(int)),
        network=dict(type="SmallCNN", filters=(32, 64), hidden=(256,), outputs=10,
                     dropout=0.0),
        likelihood=dict(type="Categorical"),
        optimizer=dict(type="Adam", learning_rate=2e-3),
        batch_size=32,
        epochs=30,
        calibrate=True,
    ))
