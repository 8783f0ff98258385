"""MC dropout on MNIST: dropout 0.5 before the last layer of LeNet only.

    bdlzoo train --config=mnist/mc_dropout.py --workdir=runs/mnist

About 2.1 min on two cores. Scores: docs/results.md.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/mnist.py")
    config.network.dropout = 0.5
    config.method = dict(type="MCDropout", num_samples=50, num_train_samples=1,
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit, config.epochs, config.method.num_samples = 64, 1, 4
    return config
