"""Deterministic LeNet on MNIST, beside MC dropout.

    python -m tools.train --config=configs/mnist/deterministic.py --workdir=runs/map
"""

from ml_collections import config_dict

from bdlzoo import zoo


def get_config(variant=""):
    config = zoo.read_config("base/mnist.py")
    config.method = dict(type="Deterministic",
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
    return config
