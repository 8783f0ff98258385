"""VARDO on the bundled digits: noise on outputs, a fixed normal prior.

    bdlzoo train --config=digits/vardo.py --workdir=runs/vardo
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("digits/mean_field_vi.py", variant)
    posterior = dict(init_scale=0.01, prior_scale=0.1)
    with config.unlocked(), config.ignore_type():
        config.network.conv = dict(type="Conv2DLocalReparameterization", **posterior)
        config.network.layer = dict(type="DenseLocalReparameterization", **posterior)
    return config
