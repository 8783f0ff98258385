"""Targets are the most probable other classes, one after the other."""

import numpy as np
import tensorflow as tf

from bdlzoo.attacks import TargetedAPGD


def test_targets_are_the_other_classes_by_rank_and_then_again():
    clean = tf.constant([[0.1, 3.0, 2.0], [5.0, 1.0, 2.0]])
    y = tf.constant([1, 2])
    found = [np.argmax(TargetedAPGD._target(clean, y, rank), axis=-1).tolist()
             for rank in range(3)]
    assert found == [[2, 0], [0, 1], [2, 0]]
