"""Discrete VAE with coupled binary variables on the bundled digits.

    bdlzoo train --config=digits/structured_vae.py --workdir=runs/structured
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("digits/discrete_vae.py", variant)
    estimator = config.method.estimator
    config.method = dict(
        type="StructuredVAE", num_variables=12, attractive=True, train_kl=True,
        num_samples=64, num_train_samples=1, estimator=estimator)
    if variant == "smoke":
        config.method.update(num_variables=4, num_samples=4)
    return config
