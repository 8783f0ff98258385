"""SDE-HNN on the toy problem: prediction and noise of the data interact.

    bdlzoo train --config=sine/sde_hnn.py --workdir=runs/sine_sde
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/sine.py")
    with config.unlocked():
        config.network = dict(
            type="SDEMLP", hidden=(128, 128), state=50, outputs=2, dropout=0.0,
            diffusion="state", diffusion_scale=1.0)
        config.optimizer.global_clipnorm = 100.0
    config.method = dict(type="SDEHNN", num_samples=100, num_train_samples=2,
                         prior_scale=1.0)
    return config
