"""CIFAR-10, SGD with momentum, batches of 64."""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="cifar10", validation=5000, limit=config_dict.placeholder(int)),
        network=dict(type="SmallCNN", outputs=10, dropout=0.0),
        likelihood=dict(type="Categorical"),
        optimizer=dict(type="SGD", learning_rate=0.1, momentum=0.9),
        batch_size=64,
        epochs=100,
        calibrate=True,
    ))
