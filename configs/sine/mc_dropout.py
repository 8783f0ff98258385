"""MC dropout on the toy: mean, noise of the data and doubt of the model.

    bdlzoo train --config=sine/mc_dropout.py --workdir=runs/sine
    bdlzoo evaluate --workdir=runs/sine

About 40 s on two cores, mean of 3 seeds: rmse 0.2338, nll -0.09892, crps
0.1246, coverage 0.9775.
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/sine.py")
    config.network.dropout = 0.3
    config.method = dict(type="MCDropout", num_samples=100, num_train_samples=1,
                         prior_scale=3.0)
    return config
