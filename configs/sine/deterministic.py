"""Deterministic network on sine, beside MC dropout.

    bdlzoo train --config=sine/deterministic.py --workdir=runs/map

About 33 s on two cores, mean of 3 seeds: rmse 0.2294, nll -0.268, crps 0.1168,
coverage 0.9167.
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/sine.py")
    config.method = dict(type="Deterministic", prior_scale=1.0)
    return config
