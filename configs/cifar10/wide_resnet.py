"""Deterministic WRN-28-10 on CIFAR-10, as published but for augmentation.

    bdlzoo train --config=cifar10/wide_resnet.py --workdir=runs/wide

For a machine with a GPU, about a day. The published accuracy is 0.9692, on images that
are also flipped and shifted.

Reference: Zagoruyko and Komodakis, Wide Residual Networks, BMVC 2016.
"""

from bdlzoo import runs

ROWS = 50_000
STEPS = -(-ROWS // 128)  # Of an epoch.


def get_config(variant=""):
    config = runs.read_config("cifar10/deterministic.py", variant)
    config.data.validation = 0
    config.network = dict(type="WideResNet", depth=28, width=10, outputs=10,
                          dropout=0.0)
    config.method.prior_scale = (2e-4 * ROWS) ** -0.5  # Weight decay of 2e-4.
    config.optimizer.learning_rate = dict(
        type="PiecewiseConstantDecay",
        boundaries=(60 * STEPS, 120 * STEPS, 160 * STEPS),
        values=(0.1, 0.02, 0.004, 0.0008))
    config.epochs = 200
    if variant == "smoke":
        config.network.update(depth=10, width=1)
        config.epochs = 1
    return config
