"""Alpha-divergence dropout on the bundled digits.

    bdlzoo train --config=digits/alpha_divergence_dropout.py \
        --workdir=runs/digits_alpha
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    config.network.dropout = 0.5
    config.method = dict(type="AlphaDivergenceDropout", alpha=0.5, num_samples=64,
                         num_train_samples=10,
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.update(num_samples=4, num_train_samples=3)
        config.epochs = 1
    return config
