"""Variational dropout on the bundled digits: a learnt rate for each weight.

    bdlzoo train --config=digits/variational_dropout.py \
        --workdir=runs/variational_dropout
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("digits/mean_field_vi.py", variant)
    with config.unlocked(), config.ignore_type():
        config.network.conv = dict(type="Conv2DVariationalDropout", init_scale=0.0067)
        config.network.layer = dict(type="DenseVariationalDropout", init_scale=0.0067)
    return config
