"""MC dropout on diabetes, with one learnt noise for all.

    bdlzoo train --config=diabetes/mc_dropout.py --workdir=runs/dia

About 29 s on two cores. Scores: docs/results.md.
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/diabetes.py")
    config.network.dropout = 0.1
    config.method = dict(type="MCDropout", num_samples=100, num_train_samples=1,
                         prior_scale=1.0)
    return config
