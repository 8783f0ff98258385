"""Mean teacher: averages of weights, and who predicts."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import MeanTeacher
from tests.families.consistency_cases import X, compiled, fitted, network


class _Students(keras.callbacks.Callback):
    """Keeps the weights of the student after each step."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def on_train_batch_end(self, batch, logs=None):
        self.seen.append(self.model.network.get_weights())


def _students(model, **options):
    kept = _Students()
    fitted(model, callbacks=[kept], **options)
    return kept.seen


def test_teacher_is_the_average_of_the_formula():
    model = compiled(MeanTeacher, decay=0.8, ramp_decay=0.5, ramp_steps=4)
    students = _students(model, epochs=3)
    assert len(students) == 9
    teacher = students[0]
    for step, student in enumerate(students, start=1):
        decay = min(1 - 1 / step, 0.5 if step <= 4 else 0.8)
        teacher = [decay * t + (1 - decay) * s for t, s in zip(teacher, student)]
    for a, b in zip(model.teacher.get_weights(), teacher, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_teacher_starts_as_a_plain_mean():
    model = compiled(MeanTeacher, decay=0.99)
    students = _students(model)
    for place, weight in enumerate(model.teacher.get_weights()):
        np.testing.assert_allclose(
            weight, np.mean([s[place] for s in students], axis=0), atol=1e-6)


def test_decay_of_0_makes_teacher_and_student_equal():
    model, logs = fitted(compiled(MeanTeacher, decay=0.0, ramp_decay=0.0), epochs=2)
    for a, b in zip(model.teacher.get_weights(), model.network.get_weights()):
        np.testing.assert_allclose(a, b, atol=1e-7)
    assert logs["consistency"][-1] == pytest.approx(0.0, abs=1e-12)


def test_target_is_the_teacher_and_has_no_gradient():
    model = compiled(MeanTeacher)
    model.build((None, 3))
    for weight in model.teacher.weights:
        weight.assign(weight + 0.3)
    key, x = model.step_keys()[1], tf.constant(X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([w.value for w in model.teacher.weights])
        now = model.probabilities(model.passes(x, key))
        gaps = model.gaps(now, x, key, None)
    target = tf.nn.softmax(model.teacher(x))
    np.testing.assert_allclose(gaps, np.mean((now[0] - target) ** 2, axis=-1),
                               atol=1e-6)
    assert tape.gradient(gaps, [w.value for w in model.teacher.weights]) == [None] * 4
    assert tape.gradient(gaps, model.trainable_variables[0].value) is not None


def test_teacher_has_noise_of_its_own():
    model = compiled(MeanTeacher, rate=0.0, dropout=0.5)
    _, logs = fitted(model)
    assert logs["consistency"][0] > 1e-4  # The weights are the same.


def test_only_the_student_is_trained_and_the_teacher_predicts():
    model, _ = fitted(compiled(MeanTeacher, decay=0.9), epochs=3)
    assert len(model.trainable_variables) == len(model.network.trainable_variables) == 4
    np.testing.assert_allclose(model.predict(X, verbose=0),
                               tf.nn.softmax(model.teacher(X)), atol=1e-6)
    assert np.abs(model.predict(X, verbose=0)
                  - tf.nn.softmax(model.network(X))).max() > 1e-4


def test_statistics_of_batches_are_said():
    found = {}
    for statistics in ("own", "average", "copy"):
        model = compiled(MeanTeacher, 0.0, normalised=True, decay=0.5, ramp_decay=0.5,
                         statistics=statistics)
        students = _students(model)
        found[statistics] = model.teacher.layers[1].moving_mean.numpy()
    places = [w.path.endswith("moving_mean") for w in model.network.weights]
    means = [student[places.index(True)] for student in students]
    # With the same weights the teacher collects the same statistics as the student.
    np.testing.assert_allclose(found["own"], means[-1], atol=1e-6)
    np.testing.assert_allclose(found["copy"], means[-1], atol=1e-6)
    average = means[0]
    for mean in means[1:]:
        average = 0.5 * average + 0.5 * mean
    np.testing.assert_allclose(found["average"], average, atol=1e-6)
    assert np.abs(found["average"] - means[-1]).max() > 1e-4


@pytest.mark.parametrize("arguments, words", [
    ({"decay": 1.0}, "decay=1.0"), ({"ramp_decay": -0.1}, "ramp_decay=-0.1"),
    ({"statistics": "none"}, "statistics='none'"),
    ({"predictor": "network"}, "teacher, draws. Received: predictor='network'")])
def test_impossible_arguments_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        MeanTeacher(network(), **arguments)
