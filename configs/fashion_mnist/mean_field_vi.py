"""Flipout on Fashion-MNIST with LeNet-5: the VI row of the uncertainty baselines.

    bdlzoo train --config=fashion_mnist/mean_field_vi.py \
        --workdir=runs/fashion_vi

About 11.5 min on two cores. Scores: docs/results.md.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/fashion_mnist.py")
    posterior = dict(init_scale=0.01, prior=dict(
        type="NormalPrior", scale=0.1, learn_scale=True))
    with config.unlocked():
        config.network.conv = dict(type="Conv2DFlipout", **posterior)
        config.network.layer = dict(type="DenseFlipout", **posterior)
    # At full weight the KL keeps the network from fitting in so few epochs:
    # after five of eight, validation accuracy was 0.848 and nll 0.418.
    config.method = dict(type="MeanFieldVI", num_samples=32, num_train_samples=1,
                         kl_weight=0.05, kl_warmup=2.0, geometric_kl=False)
    if variant == "smoke":
        config.data.limit, config.epochs, config.method.num_samples = 64, 1, 4
    return config
