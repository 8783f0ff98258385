"""Draws of given classes: fewer are the first of more, whatever their class."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families.class_generator import DRAWN, ClassGenerator


class _Model(ClassGenerator):
    """Makes rows of a class and a uniform number."""

    num_classes = 4

    def samples(self, labels, key):
        choice, unit = self.draws_of(
            labels, key, lambda one: noise.uniform([1], one))
        return tf.concat([choice, unit], axis=1)

    _drawn = samples

    def check_ready(self):
        pass

    def _predict_key(self, seed=None):
        return noise.key(seed or 0, noise.PREDICT)


def test_fewer_draws_are_the_first_of_more():
    whole = _Model().generate(8, seed=1)
    np.testing.assert_array_equal(_Model().generate(3, seed=1), whole[:3])
    assert len(np.unique(whole[:, 4])) == 8
    assert not np.array_equal(_Model().generate(8, seed=2), whole)


def test_noise_of_a_draw_does_not_know_its_class():
    model = _Model()
    free, one, each = (model.generate(6, labels, seed=1)
                       for labels in (None, 2, [0, 1, 2, 3, 0, 1]))
    np.testing.assert_array_equal(free[:, 4], one[:, 4])
    np.testing.assert_array_equal(free[:, 4], each[:, 4])
    assert (one[:, :4].argmax(axis=1) == 2).all()
    np.testing.assert_array_equal(each[:, :4].argmax(axis=1), [0, 1, 2, 3, 0, 1])


def test_classes_that_are_not_given_are_uniform():
    drawn = _Model().samples(tf.fill([2000], DRAWN), noise.key(3))
    shares = np.mean(drawn[:, :4], axis=0)
    np.testing.assert_allclose(shares, 0.25, atol=0.04)


@pytest.mark.parametrize("labels", [4, -1, 2.0, [1, 2], [0, 1, 4]])
def test_other_classes_are_refused(labels):
    with pytest.raises(ValueError, match="an integer from 0 to 3, or 3 of them"):
        _Model().generate(3, labels)
    with pytest.raises(ValueError, match="num_samples=0"):
        _Model().generate(0)
