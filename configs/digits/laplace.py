r"""Laplace approximation on the bundled digits, of a network that was trained before.

    bdlzoo train --config=digits/deterministic.py --workdir=runs/map
    bdlzoo train --config=digits/laplace.py \
        --workdir=runs/laplace --config.pretrained=runs/map
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    # The folder of a run, or a file that Keras saved.
    config.pretrained = config_dict.placeholder(str)
    config.method = dict(type="LaplaceApproximation", select="last",
                         structure="kronecker", prior_per_layer=False,
                         predictive="probit", allow_untrained=False, num_samples=64)
    config.batch_size = 256
    config.epochs = 1  # One pass: the weights do not change.
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        # There is no file to start from.
        config.method.update(allow_untrained=True, num_samples=4)
    return config
