"""Weights of classes of positions."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import Deterministic

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(8, 6, 4)).astype("float32")
Y = RANDOM.integers(0, 3, (8, 6))


def _model():
    keras.utils.set_random_seed(0)
    model = Deterministic(keras.Sequential([
        keras.Input((6, 4)), keras.layers.Dense(3)]), seed=0)
    model.compile("sgd")
    return model


@pytest.mark.slow
def test_class_weight_is_that_of_the_class_of_a_position():
    table = {0: 3.0, 2: 0.5}
    weights = np.vectorize(lambda label: table.get(label, 1.0))(Y).astype("float32")
    losses = []
    for options in ({"class_weight": table}, {"sample_weight": weights}):
        for y in (Y, np.eye(3)[Y]):
            model = _model()
            losses.append(model.fit(X, y, batch_size=8, verbose=0, shuffle=False,
                                    **options).history["loss"])
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)
    losses.append(_model().fit(
        data, verbose=0, class_weight=table).history["loss"])
    np.testing.assert_allclose(losses, np.broadcast_to(losses[0], (5, 1)), rtol=1e-5)
    with pytest.raises(ValueError, match="Received: both"):
        model.fit(X, Y, class_weight=table, sample_weight=weights)
