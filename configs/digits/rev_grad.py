"""RevGrad from the bundled digits to a copy of them in low contrast.

    bdlzoo train --config=digits/rev_grad.py --workdir=runs/rev_grad
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/domain_adaptation.py")
    config.method = dict(type="RevGrad", discriminator=(100, 100),
                         reversal=dict(type="SigmoidRise", length=1600),
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit = config.side_sets.target.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.reversal.length = 4
        config.method.discriminator = (8,)
        config.epochs = 1
    return config
