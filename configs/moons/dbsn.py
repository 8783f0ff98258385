"""DBSN on two moons, cells of dense operations.

    bdlzoo train --config=moons/dbsn.py --workdir=runs/moons_dbsn
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/moons.py")
    with config.unlocked():
        config.network = dict(type="CellMLP", outputs=2, cells=2, num_nodes=4,
                              growth=16, dropout=0.0, drop_path=0.0)
        config.optimizer = dict(
            type="SGD", momentum=0.9, global_clipnorm=5.0, learning_rate=dict(
                type="CosineDecay", initial_learning_rate=0.1))
        config.structure_optimizer = dict(type="Adam", learning_rate=3e-3, beta_1=0.5)
    # Both reach their ends before training does: after 1,500 steps, and 250 epochs.
    config.method = dict(
        type="DBSN", num_samples=64, num_train_samples=1, learn_structure=True,
        draw_structure=True, prior_scale=config_dict.placeholder(float),
        tau=dict(type="ExponentialFall", initial=3.0, rate=7e-4, floor=1.0),
        beta=dict(type="PolynomialDecay", initial_learning_rate=1.0, decay_steps=250,
                  end_learning_rate=0.5))
    return config
