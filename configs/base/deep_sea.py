"""Deep Sea of ten steps, a small perceptron for values, Adam."""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        world=dict(type="DeepSea", size=10, shuffled=True),
        network=dict(type="MLP", hidden=(50,), dropout=0.0),
        optimizer=dict(type="Adam", learning_rate=3e-3),
        episodes=2000,
        test_episodes=8,
        epochs=20,
    ))

