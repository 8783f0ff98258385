r"""Adversarial training by PGD of a WRN-28-10 on CIFAR-10, as published.

    bdlzoo train --workdir=runs/attacked \
        --config=cifar10/wide_resnet_adversarial_training.py

For a machine with a GPU. Published, on images that are also shifted and flipped:
accuracy 0.8691, under PGD-20 0.5003.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/wide_adversarial.py", variant or "full")
    config.method.update(type="AdversarialTraining", attack=dict(
        type="PGD", num_steps=7, step_size=2 / 255))
    return config
