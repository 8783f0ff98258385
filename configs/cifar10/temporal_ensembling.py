"""Temporal ensembling on CIFAR-10, 1,000 labels.

    bdlzoo train --config=cifar10/temporal_ensembling.py --workdir=runs/temporal
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/consistency.py", "cifar10")
    config.method.update(type="TemporalEnsembling", decay=0.6, predictor="network")
    if variant == "smoke":
        config.data.limit, config.data.labels, config.epochs = 64, 32, 1
        config.method.num_samples = 4
    return config
