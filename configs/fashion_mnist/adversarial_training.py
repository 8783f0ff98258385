r"""Adversarial training by PGD on Fashion-MNIST, a small CNN.

    bdlzoo train --workdir=runs/attacked \
        --config=fashion_mnist/adversarial_training.py
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/adversarial.py", "fashion_mnist")
    config.method.update(type="AdversarialTraining", attack=dict(
        type="PGD", num_steps=7, step_size=config.method.epsilon / 4))
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
    return config
