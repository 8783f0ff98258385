"""DBSN on CamVid with cells like those of the published network, but fewer.

    bdlzoo train --config=camvid/dbsn.py --workdir=runs/camvid

The published network has 5 stages of 3 cells, 7 nodes and growth 16, for images of
360 x 480 pixels; 850 epochs gave an IoU of 0.6556 and an accuracy of 0.9148.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/camvid.py")
    with config.unlocked():
        config.network = dict(
            type="CellUNet", outputs=11, stages=(1, 1, 1), middle=1, num_nodes=4,
            growth=8, stem=24, reduction=0.5, dropout=0.0, drop_path=0.0)
        config.optimizer = dict(type="SGD", learning_rate=dict(
            type="CosineDecay", initial_learning_rate=0.1), momentum=0.9,
            global_clipnorm=5.0)
        config.structure_optimizer = dict(type="Adam", learning_rate=0.01, beta_1=0.5)
    # The weight decay of 1e-4 is a prior: 1 / sqrt(1e-4 * 367).
    config.method = dict(
        type="DBSN", num_samples=20, num_train_samples=1, learn_structure=True,
        draw_structure=True, prior_scale=5.22,
        tau=dict(type="ExponentialFall", initial=3.0, rate=4e-4, floor=1.0),
        beta=dict(type="PolynomialDecay", initial_learning_rate=1.0, decay_steps=30,
                  end_learning_rate=0.5))
    if variant == "smoke":
        config.data.update(size=(12, 16), limit=16)
        config.network.update(stages=(1,), num_nodes=2, growth=2, stem=4)
        config.method.num_samples, config.epochs = 2, 1
    return config
