r"""Deterministic network on breast cancer, beside MC dropout.

    bdlzoo train --config=breast_cancer/deterministic.py \
        --workdir=runs/map

About 6 s on two cores, mean of 3 seeds: accuracy 0.9646, nll 0.07001, ece
0.01975, brier 0.04381.
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/breast_cancer.py")
    config.method = dict(type="Deterministic", prior_scale=1.0)
    return config
