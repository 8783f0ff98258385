"""Training steps and draws with Flipout of `tfp.layers`, on Keras 2."""

import tensorflow as tf
import tensorflow_probability as tfp
import tf_keras

from tools.benchmark.workers import keras_steps, protocol, training

ROWS = 256  # Images of a prediction, as in `draws.py`.


def prepare(workload, mode, steps):
    network = tf_keras.Sequential(_mlp() if workload == "mlp" else _lenet())
    if workload.startswith("draws"):
        return _draws(network, int(workload.removeprefix("draws")), mode, steps)
    network.compile(
        loss=tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        **keras_steps.compile_arguments(mode, steps))
    return keras_steps.steps_of(network, workload, steps)


def _mlp():
    return [_dense(400, "relu"), _dense(400, "relu"), _dense(10)]


def _lenet():
    pool, flatten = tf_keras.layers.MaxPooling2D, tf_keras.layers.Flatten
    return [_conv(20), pool(), _conv(50), pool(), flatten(), _dense(500, "relu"),
            _dense(10)]


def _dense(units, activation=None):
    return tfp.layers.DenseFlipout(
        units, activation=activation, kernel_divergence_fn=_divergence)


def _conv(filters):
    return tfp.layers.Convolution2DFlipout(
        filters, 5, kernel_divergence_fn=_divergence)


def _divergence(posterior, prior, _):
    return tfp.distributions.kl_divergence(posterior, prior) / training.NUM_DATA


def _draws(network, count, mode, steps):
    images = tf.constant(training.images(ROWS))
    network.build(images.shape)

    @tf.function(jit_compile=mode == "xla")
    def once(x):
        return network(x)

    def run():
        for _ in range(int(steps)):
            tf.stack([once(images) for _ in range(count)]).numpy()

    return run


if __name__ == "__main__":
    protocol.serve(prepare, "tensorflow-probability", "tf_keras", "tensorflow")
