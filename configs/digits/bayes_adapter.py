r"""BayesAdapter on the bundled digits, from a network that was trained before.

    bdlzoo train --config=digits/deterministic.py --workdir=runs/map
    bdlzoo train --config=digits/bayes_adapter.py \
        --workdir=runs/adapted --config.pretrained=runs/map
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/bayes_adapter.py", "digits")
    config.method.update(log_scale=(-4.0, -3.0), uncertain=("UniformNoise",))
    config.scale_optimizer.learning_rate = 1.0
    config.epochs = 5
    if variant == "smoke":
        config.data.limit = 64
        config.network = dict(type="MLP", hidden=(8,), outputs=10, dropout=0.0)
        # There is no file to start from.
        config.method.update(allow_untrained=True, num_samples=4, prior_scale=0.1)
        config.epochs = 1
    return config
