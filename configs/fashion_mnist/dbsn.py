r"""DBSN on Fashion-MNIST: 3 stages of 1, 2 and 2 cells, on 14 x 14 pixels and fewer.

    bdlzoo train --config=fashion_mnist/dbsn.py \
        --workdir=runs/fashion_dbsn --config.data.limit=10000

The network of `tools/reproduce/dbsn_fashion.py`, which compares it with baselines on
10,000 images.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/fashion_mnist.py")
    with config.unlocked():
        config.network = dict(
            type="CellCNN", outputs=10, stages=(1, 2, 2), num_nodes=4, growth=12,
            stem=16, stem_stride=2, dropout=0.0, drop_path=0.0)
        config.optimizer = dict(
            type="SGD", momentum=0.9, global_clipnorm=5.0, learning_rate=dict(
                type="CosineDecay", initial_learning_rate=0.1))
        config.structure_optimizer = dict(type="Adam", learning_rate=0.003, beta_1=0.5)
    config.batch_size, config.epochs, config.calibrate = 64, 15, False
    # Both reach their ends before training does, on 10,000 images: after 2,200 steps,
    # and 7 epochs.
    config.method = dict(
        type="DBSN", num_samples=20, num_train_samples=1, learn_structure=True,
        draw_structure=True, prior_scale=1.0,
        tau=dict(type="ExponentialFall", initial=3.0, rate=5e-4, floor=1.0),
        beta=dict(type="PolynomialDecay", initial_learning_rate=1.0, decay_steps=7,
                  end_learning_rate=0.5))
    if variant == "smoke":
        config.data.limit, config.epochs, config.method.num_samples = 64, 1, 4
    return config
