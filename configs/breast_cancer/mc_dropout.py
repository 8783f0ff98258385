"""MC dropout on breast cancer: one logit, Bernoulli likelihood.

    bdlzoo train --config=breast_cancer/mc_dropout.py --workdir=runs/b

About 7 s on two cores. Scores: docs/results.md.
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/breast_cancer.py")
    config.network.dropout = 0.2
    config.method = dict(type="MCDropout", num_samples=100, num_train_samples=1,
                         prior_scale=1.0)
    return config
