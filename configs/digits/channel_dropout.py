"""MC dropout of channels, after the convolutions, on the bundled digits.

    bdlzoo train --config=digits/channel_dropout.py \
        --workdir=runs/channel
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("digits/mc_dropout.py", variant)
    # Whole channels behind the convolutions, units behind the dense layer.
    with config.ignore_type():  # It has a rate there.
        config.network.dropout = dict(type="SpatialDropout2D", rate=0.3)
    return config
