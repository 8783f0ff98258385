"""Maps of doubt of scenes: MC dropout, and noise of the logits.

    bdlzoo train --config=scenes/mc_dropout.py --workdir=runs/scenes
    bdlzoo evaluate --workdir=runs/scenes

The report shows images beside maps of aleatoric and epistemic uncertainty.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/scenes.py")
    config.network.outputs = 4 + 1  # And the scale of the noise.
    config.likelihood = dict(type="StochasticLogits", ignore_class=255, num_noise=16,
                             num_train_noise=10)
    config.method = dict(type="MCDropout", num_samples=20, num_train_samples=1,
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.update(num_train=48, num_test=16, validation=8, size=(21, 26))
        config.network.filters = (4, 8)
        config.method.num_samples, config.epochs = 3, 1
    return config
