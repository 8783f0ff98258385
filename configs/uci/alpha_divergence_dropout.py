r"""Alpha-divergence dropout on the UCI benchmark, 400 epochs.

    bdlzoo train --config=uci/alpha_divergence_dropout.py \
        --config.data.name=uci/concrete --workdir=runs/concrete
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/uci_dropout.py")
    config.epochs = 400
    config.method = dict(type="AlphaDivergenceDropout", alpha=0.5, num_samples=1000,
                         num_train_samples=10, length_scale=0.01)
    return config
