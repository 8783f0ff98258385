"""Maps of doubt of scenes by structure: DBSN on a network of cells.

    bdlzoo train --config=scenes/dbsn.py --workdir=runs/cells
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/scenes.py")
    with config.unlocked():
        config.network = dict(
            type="CellUNet", outputs=4, stages=(1, 1), middle=1, num_nodes=4, growth=8,
            stem=16, reduction=0.5, dropout=0.0, drop_path=0.0)
        config.optimizer = dict(type="SGD", learning_rate=dict(
            type="CosineDecay", initial_learning_rate=0.1), momentum=0.9,
            global_clipnorm=5.0)
        config.structure_optimizer = dict(type="Adam", learning_rate=0.01, beta_1=0.5)
    # The weight decay of 1e-4 is a prior: 1 / sqrt(1e-4 * 512).
    config.method = dict(
        type="DBSN", num_samples=20, num_train_samples=1, learn_structure=True,
        draw_structure=True, prior_scale=4.42,
        tau=dict(type="ExponentialFall", initial=3.0, rate=1.2e-3, floor=1.0),
        beta=dict(type="PolynomialDecay", initial_learning_rate=1.0, decay_steps=15,
                  end_learning_rate=0.5))
    if variant == "smoke":
        config.data.update(num_train=24, num_test=8, validation=8, size=(11, 14))
        config.network.update(stages=(1,), num_nodes=2, growth=2, stem=4)
        config.method.num_samples, config.epochs, config.batch_size = 2, 1, 8
    return config
