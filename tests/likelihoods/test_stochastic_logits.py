"""Noisy logits: the loss is the log of an integral, and noise tempers it."""

import keras
import numpy as np
import pytest
import scipy.special
import scipy.stats
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.likelihoods import Categorical, StochasticLogits
from bdlzoo.methods import Deterministic, MCDropout

RANDOM = np.random.default_rng(0)
KEY = noise.key(3, noise.TRAIN, 0)
# A pair of logits of noise eps: their difference has noise sqrt(2) sigma.
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def _raw(scale):
    """Output whose scale this is: the inverse of both soft ends."""
    below = -7.0 + np.log(np.expm1(np.log(scale) + 7.0))
    return 3.0 - np.log(np.expm1(3.0 - below))


def _outputs(gaps, scales):
    """Two logits with a gap, and what gives the scale, `[1, B, 1, 3]`."""
    gaps, scales = np.broadcast_arrays(gaps, scales)
    return np.stack([gaps, 0.0 * gaps, _raw(scales)], -1)[None, :, None].astype(
        "float32")


def _integral(gap, scale):
    """Probability of class 0 by quadrature."""
    return WEIGHTS @ scipy.special.expit(gap + np.sqrt(2.0) * scale * NODES)


@pytest.mark.parametrize("gap, scale", [(0.5, 0.3), (3.0, 1.0), (-2.0, 2.5),
                                        (4.0, 6.0)])
def test_loss_is_that_of_quadrature(gap, scale):
    likelihood = StochasticLogits(num_train_noise=20_000, num_noise=4096)
    outputs = _outputs(np.full(8, gap), scale)
    with noise.draws(KEY):
        found = likelihood.log_prob(np.zeros((8, 1)), outputs)
    np.testing.assert_allclose(np.exp(found), _integral(gap, scale), rtol=0.02)
    # The points of predictions, which are others.
    mean = likelihood.prediction(outputs).probabilities[0, 0, 0]
    np.testing.assert_allclose(mean, _integral(gap, scale), rtol=0.03)


def test_mean_is_of_probabilities_and_not_of_their_logs():
    """Few draws: a bound of the integral, from the very noise that is drawn."""
    likelihood = StochasticLogits(num_train_noise=4)
    outputs = RANDOM.normal(size=(2, 3, 5, 4)).astype("float32")
    labels = RANDOM.integers(0, 3, (3, 5))
    with noise.draws(KEY):
        found = likelihood.log_prob(labels, outputs)
        eps = np.array(likelihood._noise(tf.constant(outputs[..., :3])))
    np.testing.assert_array_equal(eps[2:], -eps[:2])
    assert eps.shape == (4, 2, 3, 5, 3) and len(np.unique(eps)) > 0.95 * eps.size
    noisy = outputs[..., :3] + likelihood.split(outputs)[1].numpy() * eps
    probs = scipy.special.softmax(noisy, axis=-1).mean(axis=0)  # [S, B, T, C]
    expected = np.take_along_axis(probs, np.broadcast_to(
        labels[None, ..., None], (2, 3, 5, 1)), -1)[..., 0]
    np.testing.assert_allclose(np.exp(found), expected, rtol=1e-4)


def test_each_class_may_have_a_scale():
    likelihood = StochasticLogits(class_scales=True, num_noise=2000)
    outputs = np.array([[[[1.0, 0.0, _raw(1.5), -90.0]]]], "float32")
    expected = WEIGHTS @ scipy.special.expit(1.0 + 1.5 * NODES)
    found = likelihood.prediction(outputs).probabilities
    np.testing.assert_allclose(found[0, 0, 0], expected, rtol=0.02)


def test_without_noise_it_is_the_cross_entropy():
    outputs = RANDOM.normal(size=(2, 4, 3, 5)).astype("float32")
    outputs[..., 4] = -50.0  # Clamped to a scale below 1e-3.
    labels = RANDOM.integers(0, 4, (4, 3))
    plain = Categorical()
    with noise.draws(KEY):
        found = StochasticLogits().log_prob(labels, outputs)
    np.testing.assert_allclose(found, plain.log_prob(labels, outputs[..., :4]),
                               atol=5e-3)
    np.testing.assert_allclose(
        StochasticLogits().prediction(outputs).log_probs,
        plain.prediction(outputs[..., :4]).log_probs, atol=1e-4)


def test_scale_is_held_between_its_ends_and_keeps_a_gradient():
    outputs = np.zeros((4, 3), "float32")
    outputs[:, 2] = [90.0, -90.0, _raw(0.5), 5.0]
    outputs = tf.constant(outputs)
    with tf.GradientTape() as tape:
        tape.watch(outputs)
        _, scales = StochasticLogits().split(outputs)
    top = np.exp(np.logaddexp(0.0, 10.0) - 7.0)  # The other end is ten away.
    np.testing.assert_allclose(scales[:3, 0], [top, np.exp(-7.0), 0.5], rtol=1e-5)
    assert tape.gradient(scales, outputs)[3, 2] > 1.0  # Beyond the end.


def test_noise_lowers_the_loss_of_a_wrong_label_and_raises_that_of_a_right_one():
    with noise.draws(KEY):
        likelihood = StochasticLogits(num_train_noise=2000)
        losses = [-likelihood.log_prob(np.full((1, 1), label), _outputs([5.0], [scale]))
                  for label in (0, 1) for scale in (0.01, 3.0)]
    right_sure, right, wrong_sure, wrong = np.ravel(losses)
    assert wrong < wrong_sure and right > right_sure


def test_equal_draws_have_no_epistemic_uncertainty():
    outputs = np.repeat(RANDOM.normal(size=(1, 4, 6, 5)), 3, axis=0).astype("float32")
    found = StochasticLogits().prediction(outputs)
    np.testing.assert_allclose(found.mutual_information, 0.0, atol=1e-6)
    np.testing.assert_allclose(found.predictive_entropy, found.expected_entropy,
                               atol=1e-5)
    other = StochasticLogits().prediction(
        RANDOM.normal(size=(3, 4, 6, 5)).astype("float32"))
    np.testing.assert_allclose(
        other.predictive_entropy, other.expected_entropy + other.mutual_information,
        atol=1e-5)


def _model(dropout=0.5, **options):
    keras.utils.set_random_seed(0)
    network = keras.Sequential([
        keras.Input((6, 5, 2)), keras.layers.Conv2D(4, 3, padding="same"),
        keras.layers.Dropout(dropout), keras.layers.Conv2D(4, 1)])
    kind = MCDropout if dropout else Deterministic
    model = kind(network, StochasticLogits(ignore_class=9, **options), num_samples=4,
                 seed=1)
    model.compile(keras.optimizers.SGD(0.1))
    return model


X = RANDOM.normal(size=(8, 6, 5, 2)).astype("float32")
Y = RANDOM.integers(0, 3, (8, 6, 5))


def test_maps_of_a_row_alone_are_those_in_its_batch_and_turn_with_the_outputs():
    model = _model()
    whole = model.predict_uncertainty(X)
    alone = model.predict_uncertainty(X[3:4])
    np.testing.assert_allclose(alone.mutual_information[0],
                               whole.mutual_information[3], atol=1e-5)
    # Points of the noise are the same for all pixels: maps turn with the outputs.
    outputs = RANDOM.normal(size=(2, 3, 6, 5, 4)).astype("float32")
    found, flipped = (StochasticLogits().prediction(each).expected_entropy
                      for each in (outputs, outputs[:, :, :, ::-1]))
    np.testing.assert_allclose(found[:, :, ::-1], flipped, atol=1e-6)


def test_noise_of_training_is_new_in_each_step_and_the_same_for_the_seed():
    def losses():
        model = _model(0.0, num_train_noise=2)
        model.optimizer.learning_rate = 0.0
        return [model.fit(
            X, Y, batch_size=8, shuffle=False, verbose=0).history["loss"][0]
            for _ in range(2)]
    first, second = losses()
    assert first != second
    assert losses() == [first, second]


def test_positions_that_do_not_count_have_no_loss():
    y = np.where(RANDOM.random(Y.shape) < 0.3, 9, Y)
    outputs = RANDOM.normal(size=(1, 8, 6, 5, 4)).astype("float32")
    found = StochasticLogits(ignore_class=9).log_prob(y, outputs)[0]
    plain = StochasticLogits().log_prob(np.where(y == 9, 0, y), outputs)[0]
    np.testing.assert_array_equal(found, np.where(y == 9, 0.0, plain))


@pytest.mark.parametrize("wrong, words", [
    (np.where(np.arange(8)[:, None, None] == 2, 9, Y), "labelled pixel.*index 2"),
    (np.where(Y == 2, 3, Y), "class indices from 0 to 2"),
    (Y[:, :5], "axis 1 of the outputs has 6 positions")])
def test_wrong_masks_are_refused(wrong, words):
    for check in (lambda model: model.fit(X, wrong, verbose=0),
                  lambda model: model.fit(tf.data.Dataset.from_tensor_slices(
                      (X, wrong)).batch(8), verbose=0)):
        with pytest.raises(ValueError, match=words):
            check(_model())


def test_wrong_outputs_are_refused():
    for size, scales in ((2, False), (5, True), (2, True)):
        with pytest.raises(ValueError, match=f"Received: {size} outputs"):
            StochasticLogits(scales).build((None, 4, size))
    for count in (0, 5):
        with pytest.raises(ValueError, match=f"num_noise={count}"):
            StochasticLogits(num_noise=count)


def test_answers_are_finite_at_the_ends_of_the_scale():
    ends = np.array([[80.0, 0.0, -80.0, 99.0], [0.0, 0.0, 0.0, 99.0],
                     [3e4, 0.0, -3e4, -99.0]], "float32")[:, None]
    found = StochasticLogits(num_noise=512).prediction(ends[None])
    assert np.isfinite(found.log_probs).all()
    np.testing.assert_allclose(np.sum(found.probabilities, -1), 1.0, atol=1e-5)
    assert np.isfinite(found.log_prob(np.full((3, 1), 2))).all()
