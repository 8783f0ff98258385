"""MC dropout on CamVid, with noise of the logits: both kinds of uncertainty.

    bdlzoo train --config=camvid/mc_dropout.py --workdir=runs/camvid

`--config.class_weight=median_frequency` weighs rare classes more.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/camvid.py")
    config.network.outputs = 11 + 1  # And the scale of the noise.
    config.likelihood = dict(type="StochasticLogits", ignore_class=11, num_noise=16,
                             num_train_noise=10)
    config.method = dict(type="MCDropout", num_samples=20, num_train_samples=1,
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.update(size=(24, 32), limit=16)
        config.network.filters, config.epochs = (4, 8), 1
        config.method.num_samples = 2
    return config
