"""Five networks with a head for the noise on hourly pickups.

    bdlzoo train --config=pickups/deep_ensemble.py \
        --workdir=runs/pickups_ensemble
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/pickups.py")
    config.method = dict(type="DeepEnsemble", num_members=5, prior_scale=0.1)
    if variant == "smoke":
        config.data.limit, config.epochs, config.method.num_members = 256, 1, 2
    return config
