"""Deterministic network on the toy problem, for comparison with MC dropout.

    bdlzoo train --config=sine/deterministic.py --workdir=runs/map

About 33 s on two cores. Scores: docs/results.md.
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/sine.py")
    config.method = dict(type="Deterministic", prior_scale=1.0)
    return config
