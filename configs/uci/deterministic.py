r"""One network with a head for the noise on the UCI benchmark, 400 epochs.

    bdlzoo train --config=uci/deterministic.py \
        --config.data.name=uci/concrete --workdir=runs/concrete
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/uci.py")
    config.epochs = 400
    config.network.outputs = 2
    config.likelihood = dict(type="HeteroscedasticGaussian")
    config.method = dict(type="Deterministic", prior_scale=1.0)
    return config
