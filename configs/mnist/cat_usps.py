"""RevGrad with CAT from 2,000 images of MNIST to 1,800 of USPS.

    bdlzoo train --config=mnist/cat_usps.py --workdir=runs/adapted
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/domain_pair.py")
    config.method = dict(
        type="CAT", margin=30.0, prior_scale=config_dict.placeholder(float),
        cluster_weight=dict(type="ExponentialRise", start=300, length=600),
        base=dict(type="RevGrad", reversal=dict(type="SigmoidRise", length=1500)))
    return config
