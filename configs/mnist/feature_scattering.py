r"""Feature scattering on MNIST, a CNN of Wong and Kolter.

    bdlzoo train --workdir=runs/scattered \
        --config=mnist/feature_scattering.py
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/adversarial.py", "mnist")
    config.method.update(type="FeatureScattering", smoothing=0.5)
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
    return config
