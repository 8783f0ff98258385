"""Flipout on MNIST with LeNet-5: the VI row of the uncertainty baselines.

    bdlzoo train --config=mnist/mean_field_vi.py \
        --workdir=runs/mnist_vi

About 10.6 min on two cores, mean of 3 seeds: accuracy 0.9924, nll 0.02245, ece
0.001907, brier 0.01151.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("fashion_mnist/mean_field_vi.py", variant)
    config.data.name = "mnist"
    return config
