"""Deterministic network on diabetes, for comparison with MC dropout.

    bdlzoo train --config=diabetes/deterministic.py --workdir=runs/map

About 16 s on two cores. Scores: docs/results.md.
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/diabetes.py")
    config.method = dict(type="Deterministic", prior_scale=1.0)
    return config
