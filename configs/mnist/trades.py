r"""TRADES on MNIST, a CNN of Wong and Kolter.

    python -m tools.train --workdir=runs/trades \
        --config=configs/mnist/trades.py
"""

from bdlzoo import zoo


def get_config(variant=""):
    config = zoo.read_config("base/adversarial.py", "mnist")
    config.method.update(type="TRADES", beta=6.0)
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
    return config
