"""Deterministic network on sine, beside MC dropout.

    python -m tools.train --config=configs/sine/deterministic.py --workdir=runs/map
"""

from bdlzoo import zoo


def get_config():
    config = zoo.read_config("base/sine.py")
    config.method = dict(type="Deterministic", prior_scale=1.0)
    return config
