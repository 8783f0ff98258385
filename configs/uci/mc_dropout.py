r"""MC dropout on the UCI benchmark.

    bdlzoo train --config=uci/mc_dropout.py \
        --config.data.name=uci/concrete --workdir=runs/concrete
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/uci_dropout.py")
    config.method = dict(type="MCDropout", num_samples=1000, num_train_samples=1,
                         length_scale=0.01)
    return config
