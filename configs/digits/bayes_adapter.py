r"""BayesAdapter on the bundled digits, from a network that was trained before.

    python -m tools.train --config=configs/digits/deterministic.py --workdir=runs/map
    python -m tools.train --config=configs/digits/bayes_adapter.py \
        --workdir=runs/adapted --config.pretrained=runs/map

`pretrained` is the folder of a run, or any file that Keras saved.
"""

from ml_collections import config_dict

from bdlzoo import zoo


def get_config(variant=""):
    config = zoo.read_config("base/digits.py")
    config.pretrained = config_dict.placeholder(str)
    config.uncertain_set = config_dict.placeholder(str)
    config.method = dict(
        type="BayesAdapter", posterior="mean_field", technique="exemplar",
        select=config_dict.placeholder(int), num_members=20, weight_decay=1e-4,
        prior_scale=config_dict.placeholder(float), prior_at_trained=False,
        batch_norm=False, log_scale=(-4.0, -3.0), uncertain=("UniformNoise",),
        ood_weight=1.0, margin=0.5, disagreement="mutual_information",
        allow_untrained=False, num_samples=64)
    config.optimizer = dict(type="SGD", learning_rate=1e-2, momentum=0.9,
                            nesterov=True)
    config.scale_optimizer = dict(type="SGD", learning_rate=1.0, momentum=0.9,
                                  nesterov=True)
    config.epochs = 5
    if variant == "smoke":
        config.data.limit = 64
        config.network = dict(type="MLP", hidden=(8,), outputs=10, dropout=0.0)
        # There is no file to start from.
        config.method.update(allow_untrained=True, num_samples=4, prior_scale=0.1)
        config.epochs = 1
    return config
