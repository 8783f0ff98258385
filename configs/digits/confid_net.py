"""ConfidNet on the bundled digits: the classifier, then its confidence.

    bdlzoo train --config=digits/confid_net.py --workdir=runs/trust

`after_fit` holds the arguments of `fit_confidence`, which trains the confidence once
the classifier is trained.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    config.network.dropout = 0.3
    config.method = dict(type="ConfidNet", hidden=(400, 400, 400, 400),
                         error_weight=1.0,
                         prior_scale=config_dict.placeholder(float))
    config.after_fit = dict(epochs=30, tune_epochs=5)
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.hidden = (8,)
        config.after_fit.update(epochs=1, tune_epochs=1)
        config.epochs = 1
    return config
