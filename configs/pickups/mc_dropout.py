"""MC dropout on hourly pickups, with a head for the noise.

    bdlzoo train --config=pickups/mc_dropout.py \
        --workdir=runs/pickups_dropout
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/pickups.py")
    config.network.dropout = 0.05
    config.method = dict(type="MCDropout", num_samples=32, num_train_samples=1,
                         prior_scale=0.1)
    if variant == "smoke":
        config.data.limit, config.epochs, config.method.num_samples = 256, 1, 4
    return config
