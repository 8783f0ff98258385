"""Calibration and conformal sets of an over-trained network of Fashion-MNIST.

    conv 16 and 32, 4 x 4, stride 2, dense 200, no regularisation, 30 epochs

so that nearly all training rows are classified correctly and the network is
overconfident. Of 10,000 rows held out of the training, 5,000 calibrate it
(temperature, vector scaling, isotonic curves, each by itself), the other 5,000 give
the threshold of conformal sets on top of the temperature. Served sets are those of a
SavedModel.

Coverage is promised for rows like those of the calibration. The test images of
Fashion-MNIST are a little harder than the training images that were held out, so
that sets calibrated on these fall short of the level by as much; `split_...` is
the mean over random halves of the test set, one to calibrate and one to test.

Reference: Guo et al., On Calibration of Modern Neural Networks, ICML 2017; Romano
et al., Classification with Valid and Adaptive Coverage, NeurIPS 2020.
"""

import pathlib
import tempfile

import keras
import numpy as np
import tensorflow as tf

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.methods import Deterministic
from tools.reproduce.table import Row, Table

_REPAIRS = ("vector", "isotonic", "temperature")  # The last one is kept.
_SETS = ("lac", "aps", "raps")

TABLES = (
    Table(
        name="calibration",
        title="An over-trained network of Fashion-MNIST, repaired",
        subject="Accuracy and calibration",
        metrics=("accuracy", "accuracy_change", "temperature", "ece",
                 "ece_temperature", "ece_ratio", "ece_vector", "ece_isotonic", "nll",
                 "nll_temperature"),
        rows=(Row("convolutional network, 30 epochs", "fashion_calibration"),),
        note="Our own table. 5,000 held-out rows for each repair.",
        headline=(("convolutional network, 30 epochs", "ece_temperature"),)),
    Table(
        name="conformal",
        title="Conformal sets on Fashion-MNIST, a coverage of 90 % asked for",
        subject="Accuracy and calibration",
        metrics=("split_lac", "coverage_lac", "served_lac", "size_lac", "split_aps",
                 "coverage_aps", "served_aps", "size_aps", "split_raps",
                 "coverage_raps", "size_raps", "accuracy", "accuracy_held_out"),
        rows=(Row("convolutional network, 30 epochs", "fashion_calibration"),),
        note="Our own table, of the network of [calibration](calibration.md). Split: "
             "5,000 test rows give the threshold, the other 5,000 are tested, mean "
             "over ten random halves. Held out: 5,000 rows held out of the training "
             "set give the threshold, all 10,000 test rows are tested; they are "
             "harder, as the two accuracies show, and the sets fall short by as much. "
             "Served: the same by the exported model. Size: classes in a set.",
        runs="calibration"))


def run(seed=0, name="fashion_mnist", epochs=30, kernel_size=4, hidden=200,
        held_out=5000, level=0.9, num_splits=10):
    """Trains the network, calibrates it, and measures the coverage of its sets.

    Args:
        seed: Integer.
        name: Name of the set of images.
        epochs: Integer.
        kernel_size: Integer, sides of the filters.
        hidden: Integer, units of the dense layer.
        held_out: Integer, rows for the repair, and again for the sets.
        level: Float, coverage of the sets.
        num_splits: Integer, halvings of the test set.

    Returns:
        Dict of floats: `accuracy`, `ece` and `nll` before, and with the name of a
        repair behind them after it; `temperature`; `ece_ratio` of the temperature;
        `accuracy_change`, rows whose label the temperature changed; and of each
        kind of set its `coverage`, its mean `size`, its coverage as `served`,
        and that over `num_splits` random halves of the test set, `split`;
        `accuracy_held_out`.
    """
    options = dict(seed=seed, validation=2 * held_out)
    train, held, test = (data.load(name, split, **options)
                         for split in ("train", "validation", "test"))
    model = trained(train, epochs, kernel_size, hidden, seed)
    scores = dict(_scores(model, test))
    label = model.predict_uncertainty(test.x).label
    for repair in _REPAIRS:
        fitted = model.calibrate(held.x[:held_out], held.y[:held_out], repair)
        scores.update(_scores(model, test, f"_{repair}"))
    scores["temperature"] = fitted
    scores["ece_ratio"] = scores["ece"] / scores["ece_temperature"]
    scores["accuracy_change"] = np.sum(label != model.predict_uncertainty(test.x).label)
    for method in _SETS:
        model.calibrate(held.x[held_out:], held.y[held_out:], method, level)
        sets = model.predict_uncertainty(test.x).prediction_set
        scores[f"coverage_{method}"] = _coverage(sets, test.y)
        scores[f"size_{method}"] = np.mean(np.sum(sets, axis=1))
        scores[f"served_{method}"] = _coverage(_served(model, test.x), test.y)
        scores[f"split_{method}"] = np.mean([
            _split_coverage(model, test, method, level, noise.key(seed, noise.SETS, i))
            for i in range(num_splits)])
    scores["accuracy_held_out"] = np.mean(
        model.predict_uncertainty(held.x).label == held.y)
    return {key: float(value) for key, value in scores.items()}


def trained(train, epochs=30, kernel_size=4, hidden=200, seed=0):
    """The network, trained without any regularisation.

    Args:
        train: `Split` to train on.
        epochs: Integer.
        kernel_size: Integer, sides of the filters.
        hidden: Integer, units of the dense layer.
        seed: Integer.

    Returns:
        `Deterministic` model.
    """
    keras.utils.set_random_seed(seed)  # The weights at the start.
    network = keras.Sequential([
        keras.Input(train.x.shape[1:]),
        keras.layers.Conv2D(16, kernel_size, 2, activation="relu"),
        keras.layers.Conv2D(32, kernel_size, 2, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(hidden, activation="relu"),
        keras.layers.Dense(int(train.y.max()) + 1)])
    model = Deterministic(network, seed=seed)
    model.compile(keras.optimizers.Adam(1e-3))
    model.fit(*train, batch_size=128, epochs=epochs, verbose=0)
    return model


def _scores(model, test, suffix=""):
    found = model.evaluate(*test, batch_size=512, verbose=0, return_dict=True)
    return {f"{key}{suffix}": found[key] for key in ("accuracy", "ece", "nll")}


def _served(model, x):
    """Sets that the exported model answers with."""
    with tempfile.TemporaryDirectory() as folder:
        version = model.export(pathlib.Path(folder, "served"))
        ask = tf.saved_model.load(str(version)).signatures["serving_default"]
        return np.concatenate([
            ask(inputs=tf.constant(x[start:start + 500]))["prediction_set"]
            for start in range(0, len(x), 500)])


def _split_coverage(model, test, method, level, key):
    """Coverage of one random half of the rows, calibrated on the other."""
    order = noise.permutation(len(test.x), key).numpy()
    half = len(order) // 2
    first, second = order[:half], order[half:]
    model.calibrate(test.x[first], test.y[first], method, level)
    sets = model.predict_uncertainty(test.x[second]).prediction_set
    return _coverage(sets, test.y[second])


def _coverage(sets, labels):
    """Share of rows whose true class is in its set."""
    return np.mean(sets[np.arange(len(labels)), labels])
