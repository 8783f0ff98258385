r"""TRADES on Fashion-MNIST, a small CNN.

    bdlzoo train --workdir=runs/trades \
        --config=fashion_mnist/trades.py
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/adversarial.py", "fashion_mnist")
    config.method.update(type="TRADES", beta=6.0)
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
    return config
