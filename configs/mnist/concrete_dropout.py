"""Concrete dropout on MNIST: LeNet with a learnt rate for every layer but the first.

    bdlzoo train --config=mnist/concrete_dropout.py \
        --workdir=runs/concrete

Scores: docs/results.md.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/mnist.py")
    with config.ignore_type():  # The base has a rate there.
        config.network.dropout = (dict(type="SpatialConcreteDropout", rate=0.1),
                                  dict(type="ConcreteDropout", rate=0.1))
    config.network.dropout_at = "all"
    config.method = dict(type="MCDropout", num_samples=50, num_train_samples=1,
                         prior_scale=1.0)
    if variant == "smoke":
        config.data.limit, config.epochs, config.method.num_samples = 64, 1, 4
    return config
