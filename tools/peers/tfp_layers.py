"""Flipout of `tfp.layers`, which lives on Keras 2."""

import tensorflow_probability as tfp
import tf_keras

from tools.peers import keras_steps, protocol, training


def prepare(workload, mode, steps):
    def divergence(posterior, prior, _):
        return tfp.distributions.kl_divergence(posterior, prior) / training.NUM_DATA

    def dense(units, activation=None):
        return tfp.layers.DenseFlipout(
            units, activation=activation, kernel_divergence_fn=divergence)

    def conv(filters):
        return tfp.layers.Convolution2DFlipout(
            filters, 5, kernel_divergence_fn=divergence)

    pool, flatten = tf_keras.layers.MaxPooling2D, tf_keras.layers.Flatten
    network = tf_keras.Sequential({
        "mlp": lambda: [dense(400, "relu"), dense(400, "relu"), dense(10)],
        "lenet": lambda: [conv(20), pool(), conv(50), pool(), flatten(),
                          dense(500, "relu"), dense(10)],
    }[workload]())
    network.compile(
        loss=tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        **keras_steps.compile_arguments(mode, steps))
    return keras_steps.steps_of(network, workload, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "tensorflow-probability", "tf_keras", "tensorflow")
