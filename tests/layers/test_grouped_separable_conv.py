"""Convolutions of a cell: how far they see, and how many weights they have."""

import numpy as np
import pytest
import tensorflow as tf

from tests.layers.cell_cases import GROUPS, IMAGE, OPERATIONS, WIDTH, make, reach


@pytest.mark.parametrize("name", ["separable_3x3", "dilated_3x3"])
def test_a_pixel_sees_as_far_as_its_filters_reach(name):
    rows, columns = reach(make(name, np.zeros((1, 9, 9, GROUPS * WIDTH), "float32")))
    for places in (rows, columns):
        assert set(places) <= {2, 3, 4, 5, 6}
        assert {2, 6} <= set(places)
    if name == "dilated_3x3":
        assert len(rows) == 9  # Between them are holes.


def test_published_numbers_of_weights():
    """54 a channel, growth 16: two of 2 + 9 + 16; 27: one of them."""
    for name, count in (("separable_3x3", 54), ("dilated_3x3", 27)):
        operation = OPERATIONS[name](GROUPS)
        operation.build(((None, 8, 8, GROUPS * 16), (GROUPS,)))
        found = sum(np.prod(w.shape) for w in operation.trainable_variables)
        assert found == count * GROUPS * 16


def test_gradients_of_dilated_filters_are_known_on_a_cpu():
    operation = make("dilated_3x3", IMAGE)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(operation((IMAGE, np.ones(GROUPS, "float32")))**2)
    for gradient in tape.gradient(loss, operation.trainable_variables):
        assert np.isfinite(gradient).all() and np.abs(gradient).max() > 0
