"""The classifier of ConfidNet on the bundled digits.

    bdlzoo train --config=digits/confid_net.py --workdir=runs/trust

This trains phase 1, a deterministic network with dropout in training. Call
`fit_confidence` on the saved model for the other phases.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    config.network.dropout = 0.3
    config.method = dict(type="ConfidNet", hidden=(400, 400, 400, 400),
                         error_weight=1.0,
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.hidden = (8,)
        config.epochs = 1
    return config
