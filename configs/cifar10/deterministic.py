"""Deterministic ResNet-20 on CIFAR-10, from which BayesAdapter starts.

    bdlzoo train --config=cifar10/deterministic.py --workdir=runs/map

For a machine with an accelerator; two cores take hours.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/cifar10.py")
    # Weight decay of 1e-4 at 48,000 rows.
    config.method = dict(type="Deterministic", prior_scale=(1e-4 * 48_000) ** -0.5)
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
    return config
