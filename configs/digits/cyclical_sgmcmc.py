"""Cyclical SG-MCMC on the bundled digits.

    bdlzoo train --config=digits/cyclical_sgmcmc.py --workdir=runs/w
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    config.network = dict(type="MLP", hidden=(64,), outputs=10, dropout=0.0)
    config.method = dict(type="CyclicalSGMCMC", num_chains=1, burn_in=0, thinning=10,
                         num_kept=50, temperature=1.0, prior_scale=1.0, exploration=0.8)
    config.optimizer = dict(type="SGD", learning_rate=dict(
        type="CosineCycles", initial_rate=0.1, cycle_steps=500))
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(hidden=(8,))
        config.method.update(num_chains=4, burn_in=0, thinning=1, num_kept=2,
                             exploration=0.0)
        config.epochs = 1
    return config
