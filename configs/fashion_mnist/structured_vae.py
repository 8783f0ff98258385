"""Discrete VAE with 15 coupled binary variables on rounded Fashion-MNIST.

    bdlzoo train --config=fashion_mnist/structured_vae.py --workdir=runs/structured

Networks and optimiser are those of `discrete_vae.py`. `loss` among the scores is an
approximate bound: the KL is that of the variables without couplings.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("fashion_mnist/discrete_vae.py", variant)
    estimator, train_kl = config.method.estimator, config.method.train_kl
    config.method = runs.read_config("digits/structured_vae.py", variant).method
    if variant != "smoke":
        config.method.update(num_variables=15, train_kl=train_kl)
        config.method.estimator = estimator
    return config
