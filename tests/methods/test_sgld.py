"""SGLD; its laws are in `tests/families/test_chain_model.py`."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import SGLD


def test_two_modes_of_a_toy_are_far_apart_in_doubt():
    """Few points, two classes: sure where they are, unsure away from them."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(side, 0.5, (10, 2)) for side in (-2, 2)])
    y = np.repeat([0, 1], 10)
    network = keras.Sequential([
        keras.Input((2,)), keras.layers.Dense(10, "relu"), keras.layers.Dense(2)])
    model = SGLD(network, burn_in=200, thinning=20, num_kept=50, prior_scale=1.0,
                 seed=0)
    model.compile(keras.optimizers.SGD(0.05))
    rows = tf.data.Dataset.from_tensors((x.astype("float32"), y)).repeat()
    model.fit(rows, steps_per_epoch=1216, num_data=20, verbose=0)
    near = model.predict_uncertainty(np.array([[-2.0, -2.0], [2.0, 2.0]], "float32"))
    away = model.predict_uncertainty(np.array([[-4.0, 4.0], [4.0, -4.0]], "float32"))
    assert near.confidence.min() > 0.95
    assert away.confidence.max() < near.confidence.min() - 0.1
    assert away.mutual_information.min() > 3 * near.mutual_information.max()


def test_momentum_is_another_method():
    model = SGLD(keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)]))
    with pytest.raises(ValueError, match="SGHMC.*momentum=0.9"):
        model.compile(keras.optimizers.SGD(0.1, momentum=0.9))
