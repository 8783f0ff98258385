r"""Feature scattering on the bundled digits.

    bdlzoo train --workdir=runs/scattered \
        --config=digits/feature_scattering.py
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/adversarial.py", "digits")
    config.method.update(type="FeatureScattering", smoothing=0.5)
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
        # With fewer units the logits of a row may move along a line only, where a
        # cosine has no slope but that of rounding.
        config.network.update(filters=(4,), hidden=(32,))
        config.method.warm_up = 0.0
    return config
