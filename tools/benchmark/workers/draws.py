"""Draws of LeNet by the zoo, and one deterministic pass."""

import tensorflow as tf

from bdlzoo import methods, networks
from tools.benchmark.workers import protocol, training

ROWS = 256
NETWORKS = {
    "head": dict(dropout=0.5), "every": dict(dropout=0.5, dropout_at="all"),
    "weights": dict(conv="Conv2DFlipout", layer="DenseFlipout"), "pass": {}}


def prepare(subject, workload, mode, steps):
    """`workload` is the word `draws` and a number; `mode` is always `graph`."""
    del mode
    count, images = int(workload.removeprefix("draws")), tf.constant(
        training.images(ROWS))
    network = networks.LeNet(training.SHAPES["lenet"], **NETWORKS[subject])
    if subject == "pass":
        once = tf.function(lambda x: network(x, training=False))
        draw = lambda seed: once(images)  # noqa: E731
    else:
        method = methods.MeanFieldVI if subject == "weights" else methods.MCDropout
        model = method(network, seed=0)
        draw = lambda seed: model.sample_outputs(images, count, seed)  # noqa: E731

    def run():
        for seed in range(int(steps)):
            draw(seed).numpy()

    return run


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
