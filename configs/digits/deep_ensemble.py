"""Deep ensemble on the bundled digits.

    bdlzoo train --config=digits/deep_ensemble.py --workdir=runs/five
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    config.method = dict(type="DeepEnsemble", num_members=5, own_order=True,
                         prior_scale=config_dict.placeholder(float),
                         anchored=False, adversarial_epsilon=0.0)
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.num_members = 3
        config.epochs = 1
    return config
