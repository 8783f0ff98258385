"""The Pi-model on MNIST, 100 labels.

    bdlzoo train --config=mnist/pi_model.py --workdir=runs/pi_model
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/consistency.py", "mnist")
    config.method.update(type="PiModel", num_passes=2, predictor="network")
    if variant == "smoke":
        config.data.limit, config.data.labels, config.epochs = 64, 32, 1
        config.method.num_samples = 4
    return config
