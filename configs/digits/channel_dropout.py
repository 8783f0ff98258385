"""MC dropout of channels, behind the convolutions, on the bundled digits.

    python -m tools.train --config=configs/digits/channel_dropout.py \
        --workdir=runs/channel

Measured: see docs/results.md.
"""

from ml_collections import config_dict

from bdlzoo import zoo


def get_config(variant=""):
    config = zoo.read_config("base/digits.py")
    # Whole channels behind the convolutions, units behind the dense layer.
    with config.ignore_type():  # The base has a rate there.
        config.network.dropout = dict(type="SpatialDropout2D", rate=0.3)
    config.method = dict(type="MCDropout", num_samples=64, num_train_samples=1,
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.num_samples = 4
        config.epochs = 1
    return config
