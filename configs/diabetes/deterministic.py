"""Deterministic network on diabetes, beside MC dropout.

    bdlzoo train --config=diabetes/deterministic.py --workdir=runs/map

About 16 s on two cores, mean of 3 seeds: rmse_raw 55.99, nll_raw 5.453, crps
0.4066, coverage 0.9205.
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/diabetes.py")
    config.method = dict(type="Deterministic", prior_scale=1.0)
    return config
