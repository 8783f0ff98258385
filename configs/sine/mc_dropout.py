"""MC dropout on the toy problem: mean, noise of the data, uncertainty of the model.

    bdlzoo train --config=sine/mc_dropout.py --workdir=runs/sine
    bdlzoo evaluate --workdir=runs/sine

About 40 s on two cores. Scores: docs/results.md.
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/sine.py")
    config.network.dropout = 0.3
    config.method = dict(type="MCDropout", num_samples=100, num_train_samples=1,
                         prior_scale=3.0)
    return config
