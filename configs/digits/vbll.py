"""Variational Bayesian last layer on the bundled digits.

    bdlzoo train --config=digits/vbll.py --workdir=runs/vbll
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    config.method = dict(type="VBLL", structure="dense", prior_scale=1.0,
                         init_scale=0.1, predictive="probit", num_samples=64)
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.num_samples = 4
        config.epochs = 1
    return config
