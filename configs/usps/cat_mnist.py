"""RevGrad with CAT from 1,800 images of USPS to 2,000 of MNIST.

    bdlzoo train --config=usps/cat_mnist.py --workdir=runs/adapted
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/domain_pair.py")
    config.data.name, config.data.validation, config.data.limit = "usps", 1000, 1800
    config.side_sets.target.update(name="mnist", limit=2000)
    config.method = dict(
        type="CAT", margin=30.0, prior_scale=config_dict.placeholder(float),
        cluster_weight=dict(type="ExponentialRise", start=300, length=600),
        base=dict(type="RevGrad", reversal=dict(type="SigmoidRise", length=1500)))
    return config
