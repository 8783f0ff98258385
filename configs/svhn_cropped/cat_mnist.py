"""RevGrad with CAT from SVHN to MNIST, by their names at TFDS.

    bdlzoo train --config=svhn_cropped/cat_mnist.py --workdir=runs/adapted
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/domain_pair.py")
    config.data.name, config.data.limit = "svhn_cropped", None
    config.side_sets.target.update(name="mnist", limit=None)
    config.epochs = 20
    config.method = dict(
        type="CAT", margin=30.0, prior_scale=config_dict.placeholder(float),
        cluster_weight=dict(type="ExponentialRise", start=1500, length=3000),
        base=dict(type="RevGrad", reversal=dict(type="SigmoidRise", length=10000)))
    return config
