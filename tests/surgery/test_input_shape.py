"""Shapes of rows."""

import keras
import numpy as np
import pytest

from bdlzoo.surgery import input_shape

PARTS = [keras.Input((3,)), keras.Input((None, 2))]
TWO = keras.Model(PARTS, [part + 1.0 for part in PARTS])


def test_rows_of_the_right_shape_pass():
    input_shape.check(TWO, [np.zeros((5, 3)), np.zeros((5, 7, 2))])


@pytest.mark.parametrize("shapes", [[(5, 3)], [(5, 4), (5, 7, 2)],
                                    [(5, 3), (5, 7, 3)], [(5, 3), (5, 7)]])
def test_rows_of_another_shape_are_refused(shapes):
    with pytest.raises(ValueError, match=r"made for, \[\(3,\), \(None, 2\)\]"):
        input_shape.check(TWO, [np.zeros(shape) for shape in shapes])


def test_a_subclassed_network_takes_what_it_takes():
    class Any(keras.Model):
        def call(self, inputs):
            return inputs

    input_shape.check(Any(), np.zeros((2, 9)))
