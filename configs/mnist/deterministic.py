"""Deterministic LeNet on MNIST, beside MC dropout.

    bdlzoo train --config=mnist/deterministic.py --workdir=runs/map

About 2.0 min on two cores, mean of 3 seeds: accuracy 0.9926, nll 0.02373, ece
0.00165, brier 0.01132.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/mnist.py")
    config.method = dict(type="Deterministic",
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
    return config
