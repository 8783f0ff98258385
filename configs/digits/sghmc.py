"""Stochastic gradient Hamiltonian Monte Carlo on the bundled digits.

    bdlzoo train --config=digits/sghmc.py --workdir=runs/sghmc
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    config.network = dict(type="MLP", hidden=(64,), outputs=10, dropout=0.0)
    config.method = dict(type="SGHMC", num_chains=1, burn_in=500, thinning=20,
                         num_kept=50, temperature=1.0, prior_scale=1.0)
    config.optimizer = dict(type="SGD", learning_rate=0.01, momentum=0.9)
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(hidden=(8,))
        config.method.update(num_chains=4, burn_in=0, thinning=1, num_kept=2)
        config.epochs = 1
    return config
