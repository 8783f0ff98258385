"""Teachers: a second pass, or an average; neither gets a gradient."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families.teacher import Teacher
from bdlzoo.surgery import conversion
from tests.families.domains import X, network


def test_average_follows_the_weights_and_the_statistics():
    student, teacher = network(norm=True), Teacher("ema", 0.75)
    teacher.attach(student)
    before = [np.asarray(a) for a in teacher.averages]
    for weight in student.weights:
        weight.assign(weight + 1.0)
    teacher.follow(student)
    for old, new in zip(before, teacher.averages, strict=True):
        np.testing.assert_allclose(new, old + 0.25, rtol=1e-5)
    for weight, average in zip(student.weights, teacher.averages, strict=True):
        weight.assign(average)  # A network that is the average.
    np.testing.assert_allclose(
        teacher.outputs(student, tf.constant(X), None, None),
        student(X, training=False), atol=1e-6)


def test_average_answers_by_its_own_weights():
    student, teacher = network(), Teacher("ema")
    teacher.attach(student)
    answer = np.asarray(student(X))
    student.set_weights([w + 1.0 for w in student.get_weights()])
    np.testing.assert_allclose(teacher.outputs(student, tf.constant(X), None, None),
                               answer, atol=1e-6)


@pytest.mark.parametrize("kind, dropout", [("pass", 0.0), ("pass", 0.5), ("ema", 0.0)])
def test_no_gradient_flows_into_a_teacher(kind, dropout):
    student, teacher = network(dropout), Teacher(kind)
    conversion.adopt(student)
    teacher.attach(student)
    with tf.GradientTape() as tape:
        own = student(X, training=False)
        loss = tf.reduce_sum(teacher.outputs(
            student, tf.constant(X), own, noise.key(0)))
    assert all(g is None for g in tape.gradient(loss, student.trainable_variables))


def test_second_pass_has_noise_of_its_own_or_is_the_first_pass():
    noisy, plain, teacher = network(0.5), network(), Teacher()
    conversion.adopt(noisy)
    own = tf.constant(np.zeros((24, 3), "float32"))
    first, second = (teacher.outputs(noisy, X, own, noise.key(k)) for k in (0, 1))
    assert np.abs(first - second).max() > 0
    np.testing.assert_array_equal(teacher.outputs(plain, X, own, noise.key(0)), own)


@pytest.mark.parametrize("wrong", [dict(kind="best"), dict(decay=1.0)])
def test_impossible_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match="Received: teacher"):
        Teacher(**wrong)
