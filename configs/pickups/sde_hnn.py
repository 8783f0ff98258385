"""SDE-HNN on hourly pickups: prediction and noise of the data interact.

    bdlzoo train --config=pickups/sde_hnn.py \
        --workdir=runs/pickups_sde
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/pickups.py")
    with config.unlocked():
        config.network = dict(
            type="SDEMLP", hidden=(), state=50, outputs=2, dropout=0.0,
            diffusion="state", diffusion_scale=0.2)
        config.optimizer.global_clipnorm = 100.0
    config.method = dict(type="SDEHNN", num_samples=10, num_train_samples=2,
                         prior_scale=0.1)
    if variant == "smoke":
        config.data.limit, config.epochs, config.method.num_samples = 256, 1, 4
    return config
