"""Training steps and predictions of a vision transformer, five times and once."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo import methods
from tools.benchmark.workers import keras_steps, protocol

BATCH_SIZE, SIDE, PATCH, WIDTH, HEADS, BLOCKS, CLASSES = 32, 32, 4, 64, 4, 4, 10
NUM_MEMBERS = 5
NUM_DATA = 10_000


@keras.saving.register_keras_serializable(package="benchmark")
class Block(keras.layers.Layer):
    """Attention and a perceptron, each behind a normalisation, in one custom layer."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.norms = [keras.layers.LayerNormalization() for _ in range(2)]
        self.attention = keras.layers.MultiHeadAttention(HEADS, WIDTH // HEADS)
        self.widen = keras.layers.Dense(2 * WIDTH, activation="gelu")
        self.narrow = keras.layers.Dense(WIDTH)

    def call(self, inputs):
        x = self.norms[0](inputs)
        x = inputs + self.attention(x, x)
        return x + self.narrow(self.widen(self.norms[1](x)))


def network():
    """Vision transformer of 64 patches."""
    inputs = keras.Input((SIDE, SIDE, 3))
    x = keras.layers.Conv2D(WIDTH, PATCH, PATCH)(inputs)
    x = keras.layers.Reshape((-1, WIDTH))(x)
    for _ in range(BLOCKS):
        x = Block()(x)
    x = keras.layers.GlobalAveragePooling1D()(keras.layers.LayerNormalization()(x))
    return keras.Model(inputs, keras.layers.Dense(CLASSES)(x))


def prepare(subject, workload, mode, steps):
    """`subject` is `ensemble` or `keras`; `workload` is `step` or `draws`."""
    noise = np.random.default_rng(0)
    x = noise.normal(size=(BATCH_SIZE, SIDE, SIDE, 3)).astype("float32")
    y = noise.integers(0, CLASSES, BATCH_SIZE)
    if workload == "step":
        return _steps(subject, x, y, mode, int(steps))
    return _draws(subject, tf.constant(x), int(steps))


def _steps(subject, x, y, mode, steps):
    arguments = keras_steps.compile_arguments(mode, steps)
    model, fit = network(), {}
    if subject == "keras":
        model.compile(loss=keras.losses.SparseCategoricalCrossentropy(
            from_logits=True), **arguments)
    else:
        # All members see the same batches, as in one network five times.
        model = methods.DeepEnsemble(model, num_members=NUM_MEMBERS, own_order=False,
                                     seed=0)
        fit = {"num_data": NUM_DATA}
        model.compile(metrics=[], **arguments)
    data = tf.data.Dataset.from_tensors((x, y)).repeat()
    model.fit(data, steps_per_epoch=steps, verbose=0, **fit)
    iterator = iter(data)
    return lambda: model.train_function(iterator)


def _draws(subject, x, steps):
    plain = network()
    if subject == "keras":
        once = tf.function(lambda x: plain(x, training=False))
        return lambda: [once(x).numpy() for _ in range(steps)]
    model = methods.DeepEnsemble(plain, num_members=NUM_MEMBERS, seed=0)
    model.build((None, SIDE, SIDE, 3))
    return lambda: [model.sample_outputs(x, NUM_MEMBERS).numpy() for _ in range(steps)]


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
