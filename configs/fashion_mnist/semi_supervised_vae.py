"""Semi-supervised VAE on Fashion-MNIST, rounded pixels, with 100 labels.

    bdlzoo train --config=fashion_mnist/semi_supervised_vae.py --workdir=runs/mixture
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("mnist/semi_supervised_vae.py", variant)
    config.data.name = "fashion_mnist"
    return config
