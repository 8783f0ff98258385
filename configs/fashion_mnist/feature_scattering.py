r"""Feature scattering on Fashion-MNIST, a small CNN.

    bdlzoo train --workdir=runs/scattered \
        --config=fashion_mnist/feature_scattering.py
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/adversarial.py", "fashion_mnist")
    config.method.update(type="FeatureScattering", smoothing=0.5)
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
    return config
