"""MC dropout with Gaussian noise on the bundled digits.

    bdlzoo train --config=digits/gaussian_dropout.py \
        --workdir=runs/gaussian
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("digits/mc_dropout.py", variant)
    with config.ignore_type():  # It has a rate there.
        config.network.dropout = dict(type="GaussianDropout", rate=0.3)
    return config
