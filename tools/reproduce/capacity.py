"""How easily a network learns labels and images without any rule.

    true       labels and images as they are
    corrupted  a share of the labels drawn uniformly
    shuffled   one permutation of the pixels, the same for all images
    gaussian   images of normal noise, with the mean and scale of the true ones
    signs      labels -1 and 1 at random: 2 accuracy - 1 of the trained network
               estimates R_n = E max over h of mean_i sign_i h(x_i)

Steps are those of Adam until all training images are right. A network that fits signs
has R_n near 1, for which bounds by Rademacher complexity promise nothing, and yet it
predicts well once labels are true. A linear model has R_n of about sqrt(d / n).

Reference: Zhang et al., Understanding Deep Learning Requires Rethinking
Generalization, ICLR 2017.
"""

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.methods import Deterministic
from bdlzoo.networks import MLP
from tools.reproduce.table import Row, Table

KINDS = ("true", "shuffled", "gaussian", "signs")
_LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_STREAM = 20  # Of the noise of this experiment.

TABLE = Table(
    name="capacity",
    title="Learning without a rule: 1,000 small images of MNIST, one layer of 256",
    subject="Bounds and complexity",
    metrics=("steps", "train_accuracy", "test_error", "rademacher"),
    rows=(*(Row(f"labels, {level:.0%} random".replace("%", " %"), "capacity", {},
                dict(corruption=level)) for level in _LEVELS),
          Row("shuffled pixels", "capacity", {}, dict(kind="shuffled")),
          Row("Gaussian images, random labels", "capacity", {},
              dict(kind="gaussian", corruption=1.0)),
          *(Row(f"signs, {name}, n = {count:,}", "capacity", {}, dict(
              kind="signs", hidden=hidden, num_train=count))
            for name, hidden in (("256 units", (256,)), ("linear", ()))
            for count in (500, 2000))),
    note="Images of 14 x 14 pixels. Steps of Adam at batches of 100 until all "
         "training images are right, at most 500 epochs. `R_n` is the estimate of "
         "the Rademacher complexity by random signs.",
    num_seeds=3,
    headline=(("labels, 100 % random", "train_accuracy"),
              ("labels, 100 % random", "test_error")))


def run(seed=0, kind="true", corruption=0.0, name="mnist", num_train=1000,
        num_test=2000, side=14, hidden=(256,), rate=3e-3, batch_size=100, epochs=500):
    """Trains until all images are right, or the epochs end.

    Args:
        seed: Integer; draws labels, pixels and signs too.
        kind: One of `KINDS`.
        corruption: Float, share of the training labels that are drawn uniformly.
        name: Name of a set of images.
        num_train: Integer, training images.
        num_test: Integer, test images.
        side: Integer, pixels to which images are shrunk; `None` for none.
        hidden: Tuple of integers, sizes of the hidden layers.
        rate: Float, learning rate of Adam.
        batch_size: Integer.
        epochs: Integer, the most.

    Returns:
        Dict of floats: `steps`, `train_accuracy`, `test_error`, and `rademacher` of
        signs.
    """
    if kind not in KINDS:
        raise ValueError(f"Expected one of {KINDS}. Received: kind={kind!r}")
    train, test = (data.load(name, split, seed=seed, validation=0)
                   for split in ("train", "test"))
    x, y = sized(train.x[:num_train], side), train.y[:num_train]
    x_test, y_test = sized(test.x[:num_test], side), test.y[:num_test]
    key = noise.key(seed, noise.ORDER, _STREAM)
    classes = int(train.y.max()) + 1
    if kind == "shuffled":
        x, x_test = shuffled(x, key), shuffled(x_test, key)
    elif kind == "gaussian":
        x, x_test = (part.mean() + part.std() * noise.normal(
            part.shape, noise.fold_in(key, place)).numpy()
            for place, part in enumerate((x, x_test)))
    elif kind == "signs":
        classes, corruption = 2, 1.0
    labels = corrupted(y, corruption, classes, noise.fold_in(key, 9))
    if kind == "signs":
        y_test = corrupted(y_test, 1.0, classes, noise.fold_in(key, 10))
    keras.utils.set_random_seed(seed)
    model = Deterministic(MLP(x.shape[1:], hidden, classes), seed=seed)
    model.compile(keras.optimizers.Adam(rate))
    stop = _StopWhenRight(x, labels)
    model.fit(x, labels, batch_size=batch_size, epochs=epochs, verbose=0,
              callbacks=[stop])
    right = float(np.mean(_labels(model, x) == labels))
    scores = {"steps": float(int(model.optimizer.iterations)), "train_accuracy": right,
              "test_error": float(np.mean(_labels(model, x_test) != y_test))}
    return scores | ({"rademacher": 2 * right - 1} if kind == "signs" else {})


def sized(images, side):
    """Images of another size."""
    return images if side is None else data.fit_images(
        images, (side, side, images.shape[-1]))


def corrupted(y, share, num_classes, key):
    """Labels of which a share, on average, is drawn uniformly over the classes."""
    drawn = np.int32(num_classes * noise.uniform([len(y)], key).numpy())
    chosen = noise.uniform([len(y)], noise.fold_in(key, 1)).numpy() < share
    return np.where(chosen, drawn, y).astype("int32")


def shuffled(x, key):
    """Images whose pixels have changed places, in the same way for all."""
    places = noise.permutation(int(np.prod(x.shape[1:])), noise.fold_in(key, 8)).numpy()
    return x.reshape(len(x), -1)[:, places].reshape(x.shape)


def _labels(model, x):
    return np.argmax(model.network.predict(x, batch_size=1000, verbose=0), axis=-1)


class _StopWhenRight(keras.callbacks.Callback):
    """Ends the training after the epoch in which all training images are right."""

    def __init__(self, x, y):
        super().__init__()
        self.x, self.y = x, y

    def on_epoch_end(self, epoch, logs=None):
        # The mean over the epoch is from before its last steps.
        if logs["accuracy"] > 0.97 and np.all(_labels(self.model, self.x) == self.y):
            self.model.stop_training = True
