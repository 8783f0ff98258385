r"""Bayesian dark knowledge on the bundled digits.

    bdlzoo train --config=digits/bayesian_dark_knowledge.py \
        --workdir=runs/student
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    config.network = dict(type="MLP", hidden=(64,), outputs=10, dropout=0.0)
    config.method = dict(type="BayesianDarkKnowledge", num_chains=1, temperature=1.0,
                         prior_scale=1.0, student_prior_scale=10.0, input_noise=0.1)
    config.optimizer = dict(type="SGD", learning_rate=0.05)
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(hidden=(8,))
        config.epochs = 1
    return config
