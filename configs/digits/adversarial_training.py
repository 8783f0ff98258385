r"""Adversarial training by PGD on the bundled digits.

    bdlzoo train --workdir=runs/attacked \
        --config=digits/adversarial_training.py
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/adversarial.py", "digits")
    config.method.update(type="AdversarialTraining", attack=dict(
        type="PGD", num_steps=7, step_size=config.method.epsilon / 4))
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
        config.network.update(filters=(4,), hidden=(8,))
        config.method.warm_up = 0.0
        config.method.attack.num_steps = 2
    return config
