"""MNIST with 300 labels: scattering features and a head with dropout.

    bdlzoo train --config=mnist/scattering.py --workdir=runs/scattering

300 rows train, and 300 test.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/mnist.py")
    config.data.limit = 300
    config.network = dict(type="ScatteringMLP", scale=2, num_angles=8, outputs=10,
                          dropout=0.5)
    config.method = dict(type="MCDropout", num_samples=50, num_train_samples=1,
                         prior_scale=config_dict.placeholder(float))
    config.batch_size, config.epochs = 50, 40
    if variant == "smoke":
        config.data.limit, config.epochs, config.method.num_samples = 64, 1, 4
        config.network.num_angles = 2
    return config
