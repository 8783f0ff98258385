"""The task of the attack benchmark: images of 28 x 28, and networks to attack.

The images are bundled digits of 8 x 8, enlarged, shifted, and of two tones, similar to
MNIST: nothing has to be downloaded, and they are in the environment of the toolbox too.
A network is trained against one step of the attack, once, by the first worker that
needs it. All workers load the same weights.
"""

import os
import pathlib

import keras
import numpy as np
import sklearn.datasets
import tensorflow as tf

EPSILON, STEP_SIZE, NUM_STEPS, BATCH_SIZE = 0.3, 0.03, 20, 128
_FOLDER = pathlib.Path(__file__).parents[3] / ".venv-peers" / "attacked"
_EPOCHS, _WARM_UP = 12, 6


def network(workload):
    """The trained network of a workload, logits of ten classes."""
    path, keras_network = _FOLDER / f"{workload}.npz", _build(workload)
    if not path.exists():
        _train(keras_network)
        _FOLDER.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.npz")
        np.savez(part, *keras_network.get_weights())
        part.replace(path)
    with np.load(path) as weights:
        keras_network.set_weights([weights[name] for name in weights.files])
    return keras_network


def rows(batches):
    """Images `[batches * BATCH_SIZE, 28, 28, 1]` to attack, and their classes."""
    x, y = _images(slice(1437, None), copies=3, seed=1)
    chosen = np.arange(int(batches) * BATCH_SIZE) % len(x)
    return x[chosen], y[chosen]


def accuracy(keras_network, x, y):
    """Share of images that a network classifies correctly."""
    logits = keras_network.predict(np.asarray(x), batch_size=BATCH_SIZE, verbose=0)
    return float(np.mean(np.argmax(logits, axis=-1) == y))


def _build(workload):
    layers, relu = keras.layers, dict(activation="relu")
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((28, 28, 1)), *{
        "trades": lambda: [
            layers.Conv2D(32, 3, **relu), layers.Conv2D(32, 3, **relu),
            layers.MaxPooling2D(2), layers.Conv2D(64, 3, **relu),
            layers.Conv2D(64, 3, **relu), layers.MaxPooling2D(2), layers.Flatten(),
            layers.Dense(200, **relu), layers.Dense(200, **relu)],
        "wong_kolter": lambda: [
            layers.Conv2D(16, 4, 2, padding="same", **relu),
            layers.Conv2D(32, 4, 2, padding="same", **relu), layers.Flatten(),
            layers.Dense(100, **relu)],
    }[workload](), layers.Dense(10)])


def _images(part, copies, seed):
    digits = sklearn.datasets.load_digits()
    random = np.random.default_rng(seed)
    small = np.tile(digits.images[part] > 6.0, (copies, 1, 1))
    x = np.zeros((len(small), 28, 28, 1), "float32")
    for image, row, (down, right) in zip(x, small, random.integers(
            5, size=(len(small), 2))):
        image[down:down + 24, right:right + 24, 0] = np.kron(row, np.ones((3, 3)))
    return x, np.tile(digits.target[part], copies).astype("int32")


def _train(keras_network):
    """Trains with one signed step from a random start, in a ball that grows."""
    x, y = _images(slice(1437), copies=2, seed=0)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    keras_network.compile(keras.optimizers.Adam(1e-3), loss)

    @tf.function(reduce_retracing=True)
    def moved(images, labels, start, radius):
        start = images + radius * start
        with tf.GradientTape() as tape:
            tape.watch(start)
            value = loss(labels, keras_network(start, training=False))
        step = 1.25 * radius * tf.sign(tape.gradient(value, start))
        inside = tf.clip_by_value(start + step, images - radius, images + radius)
        return tf.clip_by_value(inside, 0.0, 1.0)

    random = np.random.default_rng(0)
    for epoch in range(_EPOCHS):
        radius = tf.constant(EPSILON * min(1.0, (epoch + 1) / _WARM_UP))
        order = random.permutation(len(x))
        for first in range(0, len(x), BATCH_SIZE):
            part = order[first:first + BATCH_SIZE]
            start = random.uniform(-1.0, 1.0, x[part].shape).astype("float32")
            harder = moved(x[part], y[part], start, radius)
            keras_network.train_on_batch(harder, y[part])
