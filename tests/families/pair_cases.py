"""Small models of pairs on rows that can be counted, and rows for them."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families.pair_game import Made, StepRows
from bdlzoo.layers import LabelConcatenation
from bdlzoo.methods import StructuredGAN

CLASSES, LATENT, WIDTH = 3, 2, 4
RNG = np.random.default_rng(0)
X = RNG.uniform(size=(6, WIDTH)).astype("float32")
Y = np.arange(6, dtype="int32") % CLASSES
MORE = RNG.uniform(size=(9, WIDTH)).astype("float32")
NETWORKS = ("network", "generator", "inference", "discriminator_xy",
            "discriminator_xz")


def dense(inputs, outputs, **options):
    """A network of one hidden layer."""
    return keras.Sequential([
        keras.Input((inputs,)), keras.layers.Dense(6, activation="tanh"),
        keras.layers.Dense(outputs, **options)])


def of_pair(first, second, outputs, **options):
    """The same for two inputs."""
    inputs = [keras.Input((first,)), keras.Input((second,))]
    hidden = keras.layers.Dense(6, activation="tanh")(LabelConcatenation()(inputs))
    return keras.Model(inputs, keras.layers.Dense(outputs, **options)(hidden))


def networks(**options):
    """The five networks, with options of their last layers."""
    keras.utils.set_random_seed(1)
    return [dense(WIDTH, CLASSES, **options),
            of_pair(LATENT, CLASSES, WIDTH, activation="sigmoid", **options),
            dense(WIDTH, LATENT, **options), of_pair(WIDTH, CLASSES, 1, **options),
            of_pair(WIDTH, LATENT, 1, **options)]


def compiled(rate=0.1, parts=None, **arguments):
    """A model with plain gradient descent."""
    model = StructuredGAN(*(parts or networks()), seed=3, **arguments)
    model.compile(keras.optimizers.SGD(rate), steps_per_execution=1)
    model.build((None, parts[0].input_shape[-1] if parts else WIDTH))
    return model


def fitted(model, **options):
    """The model after an epoch of three steps, and its logs."""
    logs = model.fit(X, Y, verbose=0, **{
        "unlabelled": MORE, "batch_size": 3, "shuffle": False, **options}).history
    return model, logs


def step_of(model, seed=5):
    """Rows of a step, what is made in it, and its key."""
    rows = StepRows(tf.constant(X), tf.constant(Y), None, tf.constant(MORE))
    key = noise.key(seed)
    return rows, model.make(9, key), key


def weights(model):
    """Weights of each network, and of the average."""
    return {name: [np.array(w) for w in getattr(model, name).weights]
            for name in (*NETWORKS, "average")}


# A grid of three inputs and two classes, or two styles: every pair can be counted.

def grid_model(**arguments):
    """Networks that are tables on the grid, with all numbers 0."""
    def table(outputs):
        return keras.Sequential([keras.Input((3,)), keras.layers.Dense(
            outputs, use_bias=False, kernel_initializer="zeros")])

    def of_cell(second):
        """A number for each cell of input and class; of input and style."""
        first, other = keras.Input((3,)), keras.Input((second,))
        both = other if second == 2 else keras.layers.Concatenate()(
            [other, keras.layers.Rescaling(-1.0, 1.0)(other)])
        cells = keras.layers.Flatten()(keras.layers.Dot(2)(
            [keras.layers.Reshape((3, 1))(first), keras.layers.Reshape((2, 1))(both)]))
        return keras.Model([first, other], keras.layers.Dense(
            1, use_bias=False, kernel_initializer="zeros")(cells))

    generator = [keras.Input((1,)), keras.Input((2,))]
    parts = [table(2), keras.Model(generator, keras.layers.Dense(3)(
        keras.layers.Concatenate()(generator))), table(1), of_cell(2), of_cell(1)]
    options = dict(entropy_weight=0.0, balance_weight=0.0, l2_weight=0.0,
                   pseudo_share=0.0)
    return compiled(1.0, parts, **{**options, **arguments})


def cells(counts):
    """Inputs and second parts of cells of the grid, each as often as it is counted."""
    places = np.repeat(np.arange(6), np.ravel(counts))
    return np.eye(3, dtype="float32")[places // 2], places % 2


def grid_step(real, made, styles=None):
    """Rows of a step whose means are those of two laws on the grid."""
    x, y = cells(real)
    made_x, made_y = cells(made)
    choice = np.eye(2, dtype="float32")[made_y]
    codes = made_y[:, None].astype("float32") if styles is None else (
        made_x @ np.reshape(styles, [3, 1]).astype("float32"))
    rows = StepRows(tf.constant(x), tf.constant(y.astype("int32")), None,
                    tf.constant(x))
    return rows, Made(*map(tf.constant, (made_x, choice, codes))), noise.key(1)
