"""CAT on top of RevGrad from the bundled digits to a copy of them in low contrast.

    bdlzoo train --config=digits/cat.py --workdir=runs/cat
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/domain_adaptation.py")
    config.method = dict(type="CAT", margin=30.0, cluster_weight=dict(
            type="ExponentialRise", start=320, length=640),
                         base=dict(type="RevGrad", discriminator=(100, 100),
                                   reversal=dict(type="SigmoidRise", length=1600)),
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit = config.side_sets.target.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.cluster_weight.update(start=0, length=4)
        config.method.base.reversal.length = 4
        config.method.base.discriminator = (8,)
        config.epochs = 1
    return config
