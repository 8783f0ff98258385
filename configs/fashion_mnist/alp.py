r"""Adversarial logit pairing on Fashion-MNIST, a small CNN.

    bdlzoo train --workdir=runs/alp \
        --config=fashion_mnist/alp.py
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/adversarial.py", "fashion_mnist")
    config.method.update(type="ALP", pairing_weight=0.5)
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
    return config
