"""SDE-Net on the bundled digits.

    bdlzoo train --config=digits/sde_net.py --workdir=runs/sde_net
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    # At time 4 a learning rate of 0.1 is at the edge of what is stable.
    with config.unlocked():
        config.network = dict(
            type="SDEMLP", hidden=(256,), state=50, outputs=10, dropout=0.0,
            diffusion="held", diffusion_scale=0.5, antithetic=False,
            total_time=1.0)
        config.optimizer.global_clipnorm = 100.0
    config.method = dict(type="SDENet", num_samples=10, num_train_samples=1,
                         ood_weight=1.0, ood_noise=2.0,
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(hidden=(8,), state=8)
        config.method.num_samples = 4
        config.epochs = 1
    return config
