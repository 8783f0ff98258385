"""CAT from 1,000 zeros and 100 ones of MNIST to 100 and 1,000 of USPS.

    bdlzoo train --config=mnist/cat_usps_imbalanced.py --workdir=runs/adapted
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/domain_pair.py")
    config.data.class_counts = ((0, 1000), (1, 100))
    config.side_sets.target.class_counts = ((0, 100), (1, 1000))
    config.network.outputs = 2
    config.method = dict(
        type="CAT", margin=30.0, prior_scale=config_dict.placeholder(float),
        cluster_weight=dict(type="ExponentialRise", start=160, length=160))
    return config
