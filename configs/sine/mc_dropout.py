"""MC dropout on the toy: mean, noise of the data and doubt of the model.

    python -m tools.train --config=configs/sine/mc_dropout.py --workdir=runs/sine
    python -m tools.evaluate --workdir=runs/sine
"""

from ml_collections import config_dict

from bdlzoo import zoo


def get_config():
    config = zoo.read_config("base/sine.py")
    config.network.dropout = 0.05
    config.method = dict(type="MCDropout", num_samples=100, num_train_samples=1,
                         prior_scale=config_dict.placeholder(float))
    return config
