"""The epochs of `fit_epoch.py`, in a training loop written by hand."""

import keras
import tensorflow as tf

from bdlzoo import networks
from tools.benchmark.workers import fit_epoch, protocol, training


def prepare(workload, mode, steps):
    x, y = fit_epoch.rows(steps)
    network = networks.MLP(training.SHAPES["mlp"], fit_epoch.HIDDEN[workload])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    accuracy = keras.metrics.SparseCategoricalAccuracy()
    optimizer = keras.optimizers.Adam()
    optimizer.build(network.trainable_variables)

    @tf.function(jit_compile=mode == "xla")
    def step(inputs, labels):
        with tf.GradientTape() as tape:
            outputs = network(inputs, training=True)
            value = loss(labels, outputs)
        gradients = tape.gradient(value, network.trainable_variables)
        optimizer.apply(gradients, network.trainable_variables)
        accuracy.update_state(labels, outputs)
        return value

    def run():
        data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(x)).batch(
            training.BATCH_SIZE, drop_remainder=True).prefetch(2)
        for _ in range(fit_epoch.EPOCHS):
            accuracy.reset_state()
            for inputs, labels in data:
                value = step(inputs, labels)
            print(float(value), float(accuracy.result()))

    return run


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
