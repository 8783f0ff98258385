"""MCD from the bundled digits to a copy of them in low contrast.

    bdlzoo train --config=digits/mcd.py --workdir=runs/mcd
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/domain_adaptation.py")
    config.method = dict(type="MCD", head_layers=2, num_feature_steps=4,
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit = config.side_sets.target.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.num_feature_steps = 2
        config.epochs = 1
    return config
