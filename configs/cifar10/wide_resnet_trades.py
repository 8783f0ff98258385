r"""TRADES of a WRN-28-10 on CIFAR-10, as published.

    bdlzoo train --workdir=runs/trades \
        --config=cifar10/wide_resnet_trades.py

For a machine with a GPU. Unlike there, images are not shifted and flipped.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/wide_adversarial.py", variant or "full")
    config.method.update(type="TRADES", beta=6.0, attack=dict(
        num_steps=10, step_size=0.007))
    return config
