r"""Deterministic network on breast cancer, for comparison with MC dropout.

    bdlzoo train --config=breast_cancer/deterministic.py \
        --workdir=runs/map

About 6 s on two cores. Scores: docs/results.md.
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/breast_cancer.py")
    config.method = dict(type="Deterministic", prior_scale=1.0)
    return config
