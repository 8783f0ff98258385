"""Five networks with a head for the noise on hourly traffic.

    bdlzoo train --config=metro_traffic/deep_ensemble.py \
        --workdir=runs/metro_ensemble
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/metro_traffic.py")
    config.method = dict(type="DeepEnsemble", num_members=5, prior_scale=1.0)
    if variant == "smoke":
        config.data.limit, config.epochs, config.method.num_members = 256, 1, 2
    return config
