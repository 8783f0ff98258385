r"""Adversarial training by FGSM on MNIST: a negative control.

    bdlzoo train --config=mnist/fgsm_training.py --workdir=runs/fgsm

It learns to withstand the one step that it is trained on, and nothing else.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/adversarial.py", "mnist")
    config.method.update(type="AdversarialTraining", attack=dict(type="FGSM"))
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
    return config
