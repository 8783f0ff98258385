r"""Adversarial logit pairing on the bundled digits.

    bdlzoo train --workdir=runs/alp \
        --config=digits/alp.py
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/adversarial.py", "digits")
    config.method.update(type="ALP", pairing_weight=0.5)
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
        config.network.update(filters=(4,), hidden=(8,))
        config.method.warm_up = 0.0
    return config
