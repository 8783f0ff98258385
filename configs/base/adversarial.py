"""Settings of all runs with an adversary; the variant is the data set."""

from ml_collections import config_dict

from bdlzoo import runs

_RADII = {"digits": 0.2, "mnist": 0.3, "fashion_mnist": 0.1, "cifar10": 8 / 255}


def get_config(variant):
    config = runs.read_config(f"base/{variant}.py")
    config.method = dict(epsilon=_RADII[variant], warm_up=1.0,
                         prior_scale=config_dict.placeholder(float))
    config.calibrate = False
    if variant in ("mnist", "fashion_mnist"):
        config.network = dict(type="WongKolterCNN", outputs=10, dropout=0.0)
        config.optimizer.learning_rate.initial_learning_rate = 5e-3
        config.batch_size = 128
    return config
