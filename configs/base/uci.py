r"""Regression on the standard splits of the UCI benchmark.

    bdlzoo train --config=uci/mc_dropout.py \
        --config.data.name=uci/concrete --workdir=runs/concrete

All folds of a set are trained side by side. `--config.data.fold=3` trains one fold, as
a model to evaluate, to export and to serve. A key without a value takes the value of
its set in `by_set`, or that of `other` for your own set, an npz file in the layout of
`bdlzoo/data/folder.py`.

One hidden layer, 4,000 epochs, batches of 128: the released protocol of Gal and
Ghahramani, with 100 units and 2,000 epochs for the protein set.
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
