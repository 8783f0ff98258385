"""Bayesian dark knowledge."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.methods import BayesianDarkKnowledge

L = keras.layers
X = np.random.default_rng(0).normal(size=(64, 2)).astype("float32")
Y = (X[:, 0] > 0).astype("int32")


def _classifier(units=16):
    return keras.Sequential([keras.Input((2,)), L.Dense(units, "relu"), L.Dense(2)])


def _model(temperature=1.0, rate=0.0, student_rate=0.01, **kwargs):
    model = BayesianDarkKnowledge(_classifier(), temperature=temperature, seed=0,
                                  **kwargs)
    model.compile(keras.optimizers.SGD(rate),
                  student_optimizer=keras.optimizers.Adam(student_rate))
    return model


def _fit(model, steps, x=X, y=Y):
    rows = tf.data.Dataset.from_tensors((x, y)).repeat()
    return model.fit(rows, steps_per_epoch=steps, num_data=len(x), verbose=0)


def test_a_teacher_that_stands_still_is_learnt():
    """T8.1: the divergence of the student from its teacher is below 1e-3."""
    model = _model(rate=0.0)
    _fit(model, 960)
    teacher = tf.nn.log_softmax(model.network.get_copy(0)(X))
    student = tf.nn.log_softmax(model.sample_outputs(X)[0])
    gap = tf.reduce_sum(tf.exp(teacher) * (teacher - student), axis=-1)
    assert float(tf.reduce_mean(gap)) < 1e-3


def test_teachers_in_turn_are_learnt_as_their_average():
    """T8.2: neither of them, but the mean of their probabilities."""
    model = _model(rate=0.0, num_chains=2)
    model.build((None, 2))
    [*_, bias] = model.network.parts()
    bias.assign([[4.0, 0.0], [0.0, 1.0]])
    _fit(model, 960)
    both = tf.nn.softmax(model.outputs(tf.constant(X)[None]))
    student = model.predict(X, verbose=0)
    np.testing.assert_allclose(student, tf.reduce_mean(both, axis=0), atol=0.03)
    assert np.abs(student - both[0]).max() > 0.2


def test_variance_of_a_student_is_noise_and_spread():
    """T8.3: at a fixed input, 1 / lam_n + Var(t)."""
    network = keras.Sequential([keras.Input((1,)), L.Dense(1, use_bias=False)])
    student = keras.Sequential([keras.Input((1,)), L.Dense(2)])
    model = BayesianDarkKnowledge(
        network, {"type": "Gaussian", "noise_scale": 0.5}, student=student,
        student_likelihood="heteroscedastic_gaussian", num_chains=4, seed=0)
    model.compile(keras.optimizers.SGD(0.0),
                  student_optimizer=keras.optimizers.Adam(0.02))
    model.build((None, 1))
    means = np.array([-1.0, 0.0, 1.0, 2.0])
    model.network.parts()[0].assign(means.reshape(4, 1, 1))
    x = np.ones((4, 1), "float32")
    _fit(model, 960, x, x)
    prediction = model.predict_uncertainty(x[:1])
    np.testing.assert_allclose(prediction.mean, [[0.5]], atol=0.02)
    np.testing.assert_allclose(prediction.variance, [[0.25 + means.var()]], rtol=0.03)


@pytest.mark.slow
def test_a_second_head_learns_the_teachers_mean_entropy():
    model = _model(rate=0.0, num_chains=2, learn_entropy=True, student_rate=0.02)
    model.build((None, 2))
    model.network.parts()[-1].assign([[3.0, 0.0], [0.0, 0.0]])
    _fit(model, 1600)
    teacher = model.teacher_likelihood.prediction(model.outputs(tf.constant(X)[None]))
    found = model.expected_entropy(X)
    assert np.abs(found - teacher.expected_entropy).mean() < 0.03
    with pytest.raises(ValueError, match="learn_entropy=True"):
        _model().expected_entropy(X)


def test_the_student_is_asked_about_inputs_of_its_own():
    model = _model(box=(-3.0, -2.0))
    model.build((None, 2))
    inside = model._inputs(tf.constant(X), noise.key(1, 2))
    assert inside.shape == X.shape
    assert -3 <= inside.numpy().min() < -2.9 and -2.1 < inside.numpy().max() <= -2
    noisy = _model(input_noise=0.1)
    noisy.build((None, 2))
    gap = noisy._inputs(tf.constant(X), noise.key(1, 2)) - X
    np.testing.assert_allclose(np.std(gap), 0.1, rtol=0.15)
    assert np.abs(gap).max() > 0


def test_own_orders_of_chains_are_rows_to_the_student():
    model = _model(rate=0.1, num_chains=3, own_order=True)
    model.fit(X, Y, batch_size=16, verbose=0)
    assert model._rows(tf.zeros([16, 3, 2])).shape == (48, 2)


def test_only_the_student_is_served(tmp_path):
    model = _model(rate=0.1)
    _fit(model, 3)
    served = tf.saved_model.load(model.export(tmp_path))
    shapes = [tuple(v.shape) for v in served.variables]
    expected = [tuple(v.shape) for part in model.served_parts()
                for v in part.variables]
    assert sorted(shapes) == sorted(expected)
    assert model.samples.shape not in shapes


@pytest.mark.parametrize("options, words", [
    (dict(likelihood="gaussian"), "student_likelihood=None"),
    (dict(likelihood="gaussian", learn_entropy=True,
          student_likelihood="heteroscedastic_gaussian"), "learn_entropy=True"),
    (dict(input_noise=-0.1), "input_noise=-0.1"),
    (dict(box=(1.0, 0.0)), r"box=\(1.0, 0.0\)")])
def test_what_no_student_can_learn_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        BayesianDarkKnowledge(_classifier(), **options)
