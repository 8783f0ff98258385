"""Discrete VAE on rounded MNIST: one variable of ten values.

    bdlzoo train --config=mnist/discrete_vae.py --workdir=runs/discrete
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("fashion_mnist/discrete_vae.py", variant)
    config.data.name = "mnist"
    return config
