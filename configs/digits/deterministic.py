"""Deterministic network on the bundled digits.

    bdlzoo train --config=digits/deterministic.py --workdir=runs/map

About 18 s on two cores. Scores: docs/results.md.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    config.method = dict(type="Deterministic",
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.epochs = 1
    return config
