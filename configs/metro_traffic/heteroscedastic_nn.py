"""Network with a head for the noise on hourly traffic, trained once.

    bdlzoo train --config=metro_traffic/heteroscedastic_nn.py \
        --workdir=runs/metro_hnn
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/metro_traffic.py")
    config.method = dict(type="Deterministic", prior_scale=1.0)
    if variant == "smoke":
        config.data.limit, config.epochs = 256, 1
    return config
