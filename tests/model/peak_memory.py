"""Peak memory of large predictions, above that of the model.

    python -m tests.model.peak_memory rows      10^6 rows x 32 draws of an MLP
    python -m tests.model.peak_memory map       100 draws of a 360 x 480 x 11 map
    python -m tests.model.peak_memory numbers   10^6 rows x 32 draws of a regression
    python -m tests.model.peak_memory draws     10^6 draws of 10 rows
    python -m tests.model.peak_memory served    100 draws of a map, in a graph
    python -m tests.model.peak_memory unet      50 draws of 4 images of 96 x 128 pixels

It prints megabytes and seconds. A process has one peak, so each case has its own.
"""

import resource
import sys
import time

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.likelihoods import StochasticLogits
from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP, UNet

MAP = (360, 480, 3)


def segmenter(shape=MAP, classes=11, width=16):
    """A small network from images to maps of logits, with dropout in the middle."""
    layers = keras.layers
    inputs = keras.Input(shape)
    fine = layers.Conv2D(width, 3, padding="same", activation="relu")(inputs)
    x = layers.MaxPooling2D(4)(fine)
    x = layers.Conv2D(2 * width, 3, padding="same", activation="relu")(x)
    x = layers.Dropout(0.5)(x)
    x = layers.UpSampling2D(4)(x)
    x = layers.Concatenate()([fine, x])
    return keras.Model(inputs, layers.Conv2D(classes, 1)(x))


def _rows(count):
    rng = np.random.default_rng(0)
    return rng.normal(size=(count, 16)).astype("float32")


def rows():
    model = MCDropout(MLP((16,), (100, 100), 10, dropout=0.2), seed=0)
    x = _rows(10**6)
    return model, x, lambda: model.predict_uncertainty(x, 32).mutual_information


def numbers():
    model = MCDropout(MLP((16,), (100, 100), 2, dropout=0.2),
                      "heteroscedastic_gaussian", seed=0)
    x = _rows(10**6)

    def run():
        prediction = model.predict_uncertainty(x, 32)
        return prediction.std, prediction.interval(0.95)

    return model, x, run


def draws():
    model = MCDropout(MLP((16,), (100, 100), 10, dropout=0.2), seed=0)
    x = _rows(10)
    return model, x, lambda: model.predict_uncertainty(x, 10**6).mutual_information


def map():
    model = MCDropout(segmenter(), seed=0)
    x = np.random.default_rng(0).uniform(size=(1, *MAP)).astype("float32")
    return model, x, lambda: model.predict_uncertainty(x, 100).mutual_information


def served():
    model = MCDropout(segmenter(), seed=0, num_samples=100)
    x = tf.constant(np.random.default_rng(0).uniform(size=(1, *MAP)), tf.float32)
    answer = tf.function(model.measures, input_signature=[
        tf.TensorSpec((None, *MAP))])
    return model, x, lambda: answer(x)


def unet():
    model = MCDropout(UNet((96, 128, 3), 11 + 1, dropout=0.5), StochasticLogits(),
                      seed=0)
    x = np.random.default_rng(0).uniform(size=(4, 96, 128, 3)).astype("float32")
    return model, x, lambda: model.predict_uncertainty(x, 50).mutual_information


CASES = {case.__name__: case for case in (rows, map, numbers, draws, served, unet)}


def _megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(name):
    model, x, run = CASES[name]()
    model.predict_uncertainty(x[:1], 2)  # The model, its graphs and the libraries.
    before, start = _megabytes(), time.perf_counter()
    run()
    print(f"{name}: {_megabytes() - before:.0f} MB above the model, "
          f"{time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1])
