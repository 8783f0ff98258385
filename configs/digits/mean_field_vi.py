"""Mean-field variational inference with Flipout on the bundled digits.

    bdlzoo train --config=digits/mean_field_vi.py \
        --workdir=runs/digits_vi
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    # The prior learns its scale: a fixed one is too wide for so few rows.
    posterior = dict(init_scale=0.01, prior=dict(
        type="NormalPrior", scale=0.1, learn_scale=True))
    with config.unlocked():
        config.network.conv = dict(type="Conv2DFlipout", **posterior)
        config.network.layer = dict(type="DenseFlipout", **posterior)
    # At full weight the KL of 1,300 rows wins, and nothing is learnt.
    config.method = dict(type="MeanFieldVI", num_samples=64, num_train_samples=1,
                         kl_weight=0.05, kl_warmup=10.0, geometric_kl=False)
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.update(num_samples=4, kl_warmup=0.0)
        config.epochs = 1
    return config
