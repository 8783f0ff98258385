"""Deterministic LeNet on MNIST, for comparison with MC dropout.

    bdlzoo train --config=mnist/deterministic.py --workdir=runs/map

About 2.0 min on two cores. Scores: docs/results.md.
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
