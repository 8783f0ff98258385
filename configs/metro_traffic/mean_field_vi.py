"""Flipout on hourly traffic, with a head for the noise.

    bdlzoo train --config=metro_traffic/mean_field_vi.py \
        --workdir=runs/metro_vi
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/metro_traffic.py")
    with config.unlocked():
        config.network.layer = dict(type="DenseFlipout", init_scale=0.01, prior=dict(
            type="NormalPrior", scale=0.1, learn_scale=True))
    config.method = dict(type="MeanFieldVI", num_samples=32, num_train_samples=1,
                         kl_weight=1.0, kl_warmup=5.0, geometric_kl=False)
    if variant == "smoke":
        config.data.limit, config.epochs = 256, 1
        config.method.update(num_samples=4, kl_warmup=0.0)
    return config
