r"""Feature scattering of a WRN-28-10 on CIFAR-10, as published.

    bdlzoo train --workdir=runs/scattered \
        --config=cifar10/wide_resnet_feature_scattering.py

For a machine with a GPU. Published, on images that are also shifted and flipped:
accuracy 0.8998, under PGD-20 0.7085, and under an attack on features 0.3745.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/wide_adversarial.py", variant or "full")
    config.method.update(type="FeatureScattering", smoothing=0.5)
    config.batch_size = 60
    config.epochs = 200
    steps = -(-50_000 // 60)
    config.optimizer.learning_rate.update(
        boundaries=(60 * steps, 90 * steps), values=(0.1, 0.01, 0.001))
    return config
