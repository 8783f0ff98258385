"""Two moons with noise, with so few rows that a network can memorise them."""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="moons", validation=0, num_train=200, num_test=2000, noise=0.3,
                  limit=config_dict.placeholder(int)),
        network=dict(type="MLP", hidden=(64, 64), outputs=2, dropout=0.0),
        likelihood=dict(type="Categorical"),
        optimizer=dict(type="Adam", learning_rate=3e-3),
        batch_size=50,
        epochs=500,
        calibrate=False,
    ))
