r"""The published DBSN on CIFAR-10: 3 stages of 4 cells, 7 nodes, growth 16.

    bdlzoo train --config=cifar10/dbsn.py --workdir=runs/cifar10

1,042,942 weights and logits, 100 epochs: for a machine with an accelerator. The
published ECE is 0.0109, with crops and flips of the images, which are missing here, and
with four structures in each step instead of one. For a few steps, with XLA:

    bdlzoo train --config=cifar10/dbsn.py:smoke --workdir=runs/few \
        --config.jit_compile=True
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/cifar10.py")
    # A tenth of the rate after 60 of 100 epochs, and again after 80.
    rate = dict(type="PiecewiseConstantDecay", boundaries=(46_860, 62_480),
                values=(0.1, 0.01, 0.001))
    with config.unlocked():
        config.network = dict(
            type="CellCNN", outputs=10, stages=(4, 4, 4), num_nodes=7, growth=16,
            stem=32, reduction=0.4, dropout=0.0, drop_path=0.0)
        config.optimizer = dict(type="SGD", learning_rate=rate, momentum=0.9,
                                global_clipnorm=5.0)
        config.structure_optimizer = dict(type="Adam", learning_rate=3e-4, beta_1=0.5)
        config.data.validation = 0
    config.batch_size, config.epochs, config.calibrate = 64, 100, False
    # The weight decay of 1e-4 is a prior: 1 / sqrt(1e-4 * 50,000).
    config.method = dict(
        type="DBSN", num_samples=10, num_train_samples=1, learn_structure=True,
        draw_structure=True, prior_scale=0.447,
        tau=dict(type="ExponentialFall", initial=3.0, rate=1.5e-5, floor=1.0),
        beta=dict(type="PolynomialDecay", initial_learning_rate=1.0, decay_steps=50,
                  end_learning_rate=0.5))
    if variant == "smoke":
        config.data.limit, config.epochs, config.method.num_samples = 64, 1, 2
        config.batch_size = 16
        with config.unlocked():
            config.jit_compile = False
    return config
