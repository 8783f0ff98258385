r"""Five networks with a head for the noise on the UCI benchmark, 400 epochs.

    bdlzoo train --config=uci/deep_ensemble.py \
        --config.data.name=uci/concrete --workdir=runs/concrete
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("uci/deterministic.py")
    config.method = dict(type="DeepEnsemble", num_members=5, prior_scale=1.0)
    return config
