"""Temporal ensembling on the bundled digits, 100 labels.

    bdlzoo train --config=digits/temporal_ensembling.py --workdir=runs/temporal
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/consistency.py", "digits")
    config.method.update(type="TemporalEnsembling", decay=0.6, predictor="network")
    if variant == "smoke":
        config.data.limit, config.data.labels, config.epochs = 64, 32, 1
        config.network.update(filters=(4,), hidden=(8,))
        # Unlike shifts, it can be compiled.
        with config.method.unlocked():
            config.method.augmentation = dict(
                type="RandomBrightness", factor=0.1, value_range=(0.0, 1.0))
        config.method.update(num_samples=4, ramp_steps=2)
    return config
