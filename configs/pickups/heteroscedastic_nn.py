"""Network with a head for the noise on hourly pickups, trained once.

    bdlzoo train --config=pickups/heteroscedastic_nn.py \
        --workdir=runs/pickups_hnn
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/pickups.py")
    config.method = dict(type="Deterministic", prior_scale=0.1)
    if variant == "smoke":
        config.data.limit, config.epochs = 256, 1
    return config
