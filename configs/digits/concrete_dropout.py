"""Concrete dropout, with learnt rates, on the bundled digits.

    bdlzoo train --config=digits/concrete_dropout.py \
        --workdir=runs/concrete
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("digits/mc_dropout.py", variant)
    # Whole channels behind the convolutions, units behind the dense layer.
    with config.ignore_type():  # It has a rate there.
        config.network.dropout = dict(type="SpatialConcreteDropout", rate=0.1)
    config.method.prior_scale = 1.0  # Learnt rates need a prior.
    return config
