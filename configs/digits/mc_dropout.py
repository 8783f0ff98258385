"""MC dropout on the bundled digits.

    bdlzoo train --config=digits/mc_dropout.py --workdir=runs/digits

About 21 s on two cores. Scores: docs/results.md.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    config.network.dropout = 0.5
    config.method = dict(type="MCDropout", num_samples=64, num_train_samples=1,
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.num_samples = 4
        config.epochs = 1
    return config
