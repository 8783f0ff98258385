"""Flipout on MNIST with LeNet-5: the VI row of the uncertainty baselines.

    bdlzoo train --config=mnist/mean_field_vi.py \
        --workdir=runs/mnist_vi

About 10.6 min on two cores. Scores: docs/results.md.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("fashion_mnist/mean_field_vi.py", variant)
    config.data.name = "mnist"
    return config
