r"""Regression on the standard splits of the UCI benchmark.

    bdlzoo train --config=uci/mc_dropout.py \
        --config.data.name=uci/concrete --workdir=runs/concrete

All folds of a set are trained side by side; `--config.data.fold=3` trains one, as
a model to evaluate, to export and to serve. A key without a value takes that of
its set in `by_set`, or else that of `other`, for a set of your own: an npz file
in the layout of `bdlzoo/data/folder.py`.

One hidden layer, 4,000 epochs, batches of 128: the released protocol of Gal and
Ghahramani, which has 100 units and 2,000 epochs for the protein.
"""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="uci/yacht", fold=config_dict.placeholder(int),
                  validation=0.0, limit=config_dict.placeholder(int)),
        network=dict(type="MLP", hidden=config_dict.placeholder(tuple), outputs=1,
                     dropout=0.0, dropout_at="all"),
        likelihood=dict(type="Gaussian", noise_scale=0.3, learn_noise=False),
        optimizer=dict(type="Adam", learning_rate=1e-3),
        batch_size=128,
        epochs=config_dict.placeholder(int),
        jit_compile=True,
        calibrate=False,
        by_set={
            "uci/protein-tertiary-structure": dict(
                network=dict(hidden=(100,)), epochs=2000),
            "other": dict(network=dict(hidden=(50,)), epochs=4000),
        },
    ))
