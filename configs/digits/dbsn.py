"""DBSN on the bundled digits, cells of dense operations.

    bdlzoo train --config=digits/dbsn.py --workdir=runs/digits_dbsn
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    with config.unlocked():
        config.network = dict(type="CellMLP", outputs=10, cells=2, num_nodes=3,
                              growth=32, dropout=0.0, drop_path=0.0)
        config.optimizer = dict(
            type="SGD", momentum=0.9, global_clipnorm=5.0, learning_rate=dict(
                type="CosineDecay", initial_learning_rate=0.1))
        config.structure_optimizer = dict(type="Adam", learning_rate=3e-3, beta_1=0.5)
    # Both reach their ends before training does: after 1,100 steps, and 20 epochs.
    config.method = dict(
        type="DBSN", num_samples=64, num_train_samples=1, learn_structure=True,
        draw_structure=True, prior_scale=config_dict.placeholder(float),
        tau=dict(type="ExponentialFall", initial=3.0, rate=1e-3, floor=1.0),
        beta=dict(type="PolynomialDecay", initial_learning_rate=1.0, decay_steps=20,
                  end_learning_rate=0.5))
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(cells=1, growth=8)
        config.optimizer = dict(type="SGD", learning_rate=0.1)
        config.method.num_samples = 4
        config.epochs = 1
    return config
