"""SWAG on the bundled digits: weights of the last epochs of SGD.

    bdlzoo train --config=digits/swag.py --workdir=runs/swag
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    # Of 40 epochs with 51 steps each, the last 30.
    config.method = dict(type="SWAG", burn_in=510, thinning=51, rank=20, scale=1.0,
                         prior_scale=config_dict.placeholder(float), num_samples=64)
    config.optimizer = dict(type="SGD", learning_rate=0.05, momentum=0.9)
    config.epochs = 40
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.update(burn_in=0, thinning=1, rank=3, num_samples=4,
                             prior_scale=1.0)
        config.epochs = 1
    return config
