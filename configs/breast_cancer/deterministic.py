"""Deterministic network on breast_cancer, beside MC dropout.

    python -m tools.train --config=configs/breast_cancer/deterministic.py --workdir=runs/m
"""

from bdlzoo import zoo


def get_config():
    config = zoo.read_config("base/breast_cancer.py")
    config.method = dict(type="Deterministic", prior_scale=1.0)
    return config
