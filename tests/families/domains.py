"""Two small domains, and networks for them."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families.domain_pair import DomainPair

RNG = np.random.default_rng(0)
Y = np.repeat(np.arange(3, dtype="int32"), 8)
X = (np.eye(3)[Y] @ RNG.normal(size=(3, 4)) + 0.1 * RNG.normal(size=(24, 4))).astype(
    "float32")
TARGET = (0.5 * X + 0.3).astype("float32")


def network(dropout=0.0, norm=False, hidden=5):
    """A network of two dense layers on four numbers, for three classes."""
    layers = [keras.Input((4,)), keras.layers.Dense(hidden, "tanh")]
    layers += [keras.layers.BatchNormalization(momentum=0.5)] * norm
    layers += [keras.layers.Dropout(dropout)] * bool(dropout)
    return keras.Sequential([*layers, keras.layers.Dense(3)])


def compiled(model, rate=0.1):
    model.compile(keras.optimizers.SGD(rate))
    return model


def pair(source, labels, target, teacher, step=0):
    """A `DomainPair` of features that are outputs, for terms that read no inputs."""
    source, target, teacher = (tf.constant(part, tf.float32)
                               for part in (source, target, teacher))
    labels = tf.constant(labels, tf.int32)
    return DomainPair(source, labels, None, None, target, labels, source, target,
                      source, target, teacher, tf.constant(step, tf.int64),
                      noise.key(0))


class Stub:
    """What terms ask of a model, where there is none."""

    num_classes = 3


def weights(model):
    return [np.asarray(w) for w in model.trainable_variables]
