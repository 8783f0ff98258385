"""SDE-HNN on the bundled digits, with classes in place of mean and variance.

    bdlzoo train --config=digits/sde_hnn.py --workdir=runs/sde_hnn
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    # At time 4 a learning rate of 0.1 is at the edge of what is stable.
    with config.unlocked():
        config.network = dict(
            type="SDEMLP", hidden=(256,), state=50, outputs=10, dropout=0.0,
            diffusion="state", diffusion_scale=1.0,
            total_time=1.0)
        config.optimizer.global_clipnorm = 100.0
    config.method = dict(type="SDEHNN", num_samples=10, num_train_samples=2,
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(hidden=(8,), state=8)
        config.method.num_samples = 4
        config.epochs = 1
    return config
