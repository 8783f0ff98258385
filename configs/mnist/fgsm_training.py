r"""Adversarial training by FGSM on MNIST: a negative control.

    bdlzoo train --config=mnist/fgsm_training.py --workdir=runs/fgsm

The model becomes robust to the single step of its training, and to no other attack.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/adversarial.py", "mnist")
    config.method.update(type="AdversarialTraining", attack=dict(type="FGSM"))
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
    return config
