"""CIFAR-10, ResNet-20, SGD with momentum and a cosine decay.

Images are not augmented.
"""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="cifar10", validation=2000,
                  limit=config_dict.placeholder(int)),
        network=dict(type="ResNet20", outputs=10, dropout=0.0),
        likelihood=dict(type="Categorical", from_logits=True),
        optimizer=dict(type="SGD", momentum=0.9, nesterov=True, learning_rate=dict(
            type="CosineDecay", initial_learning_rate=0.1)),
        batch_size=128,
        epochs=30,
        calibrate=True,
    ))
