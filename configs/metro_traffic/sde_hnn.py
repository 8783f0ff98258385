"""SDE-HNN on hourly traffic: prediction and noise of the data interact.

    bdlzoo train --config=metro_traffic/sde_hnn.py \
        --workdir=runs/metro_sde
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/metro_traffic.py")
    with config.unlocked():
        config.network = dict(
            type="SDEMLP", hidden=(100,), state=50, outputs=2, dropout=0.0,
            diffusion="state", diffusion_scale=1.0)
        config.optimizer.global_clipnorm = 100.0
    config.method = dict(type="SDEHNN", num_samples=10, num_train_samples=2,
                         prior_scale=1.0)
    if variant == "smoke":
        config.data.limit, config.epochs, config.method.num_samples = 256, 1, 4
    return config
