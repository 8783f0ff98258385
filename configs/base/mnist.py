"""MNIST, LeNet 20-50-500, Adam with a cosine decay."""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="mnist", validation=2000, limit=config_dict.placeholder(int)),
        network=dict(type="LeNet", outputs=10, dropout=0.0),
        likelihood=dict(type="Categorical"),
        optimizer=dict(type="Adam", learning_rate=dict(
            type="CosineDecay", initial_learning_rate=2e-3)),
        batch_size=128,
        epochs=6,
        calibrate=True,
    ))
