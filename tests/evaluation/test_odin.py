"""Tests of ODIN."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.evaluation import odin
from bdlzoo.evaluation.uncertainty_scores import judge, uncertainty_scores
from bdlzoo.likelihoods import Bernoulli, Gaussian
from bdlzoo.methods import Deterministic, MCDropout
from bdlzoo.networks import MLP


def _model(kind=Deterministic, size=3.0, **kwargs):
    """A perceptron whose weights are large enough for sure predictions."""
    network = MLP((6,), (32,), 5, activation="tanh",
                  dropout=0.5 if kind is MCDropout else 0.0)
    for kernel in network.trainable_variables:
        kernel.assign(size * kernel)
    return kind(network, seed=0, **kwargs)


def _rows(count=200, width=6, seed=0):
    return noise.normal([count, width], noise.key(seed, 7)).numpy()


def _ranks(values):
    return np.argsort(np.argsort(values, kind="stable"), kind="stable")


@pytest.mark.parametrize("kind", [Deterministic, MCDropout])
def test_without_step_and_temperature_it_is_the_maximum_probability(kind):
    model, x = _model(kind), _rows()
    found = odin.odin_scores(model, x, epsilon=0.0, temperature=1.0)
    expected = uncertainty_scores(judge(model, x)[0], names=["max_probability"])
    np.testing.assert_allclose(found, expected["max_probability"], rtol=1e-5,
                               atol=1e-5)


def test_at_a_high_temperature_it_ranks_as_the_largest_logit_above_the_mean():
    model, x = _model(), _rows()
    logits = model.sample_outputs(x).numpy()[0].astype("float64")
    above = logits.max(-1) - logits.mean(-1)
    found = odin.odin_scores(model, x, epsilon=0.0, temperature=1e6)
    np.testing.assert_array_equal(_ranks(found), _ranks(-above))
    # max S = 1 / C + above / (C T): the odds of a uniform one, less its share.
    share = 0.2 + above / (5 * 1e6)
    np.testing.assert_allclose(found, np.log((1 - share) / share), atol=1e-9)
    thousand = odin.odin_scores(model, x, epsilon=0.0, temperature=1000.0)
    assert np.corrcoef(_ranks(thousand), _ranks(-above))[0, 1] > 0.999
    assert len(np.unique(thousand)) == len(x)


def test_saturated_rows_are_ranked_and_moved():
    """In float32 the probabilities are 1, and their gradients 0."""
    network = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
    kernel = np.float32([[9, 0, 0], [0, 1, 0]])
    network.layers[-1].set_weights([kernel, np.zeros(3, "float32")])
    model, x = Deterministic(network, seed=0), np.float32([[2, 0], [3, 0], [4, 0]])
    assert (model.predict_uncertainty(x).confidence == 1.0).all()
    moved, _ = odin.perturbed(model, x[:2], epsilon=0.25, temperature=1.0)
    # The other way would be towards the class that the second input raises.
    np.testing.assert_array_equal(moved, [[2.25, -0.25], [3.25, -0.25]])
    found = odin.odin_scores(model, x, epsilon=0.0, temperature=1.0)
    np.testing.assert_allclose(found, np.log(2) - 9 * x[:, 0], rtol=1e-6)


@pytest.mark.parametrize("kind", [Deterministic, MCDropout])
def test_a_small_step_raises_the_predicted_class_to_first_order(kind):
    model, x, epsilon = _model(kind, size=1.0), _rows(50), 1e-3

    @tf.function
    def slopes(x, labels, temperature):
        """Sums of absolute gradients: the mean over draws is inside."""
        with tf.GradientTape() as tape:
            tape.watch(x)
            draws = tf.nn.softmax(
                model.draw(x, 3, noise.key(0, noise.PREDICT)) / temperature)
            chosen = tf.gather(tf.math.log(tf.reduce_mean(draws, 0)), labels,
                               batch_dims=1)
        return tf.reduce_sum(tf.abs(tape.gradient(chosen, x)), -1)

    for temperature in (1.0, 10.0, 1000.0):
        _, before = odin.perturbed(model, x, 0.0, temperature, num_samples=3)
        moved, after = odin.perturbed(model, x, epsilon, temperature, num_samples=3)
        labels = before.argmax(-1)
        rise = np.take_along_axis(after - before, labels[:, None], -1)[:, 0]
        slope = slopes(tf.constant(x), tf.constant(labels), tf.constant(temperature))
        assert (rise > 0).all()
        np.testing.assert_allclose(rise, epsilon * slope, rtol=0.1)
        np.testing.assert_allclose(np.abs(moved - x), epsilon, rtol=1e-3)


def test_steps_are_as_long_as_epsilon_in_raw_units():
    model, x = _model(), _rows(20)
    std = np.array([0.1, 0.2, 0.5, 1.0, 2.0, 5.0])
    moved, _ = odin.perturbed(model, x, epsilon=0.5, scale=std)
    np.testing.assert_allclose(np.abs(moved - x) * std, 0.5, rtol=1e-4)
    plain, _ = odin.perturbed(model, x, epsilon=0.5)
    assert np.abs(plain - x).max() <= 0.5 + 1e-6  # Beyond any box: no clipping.
    np.testing.assert_array_equal(np.sign(plain - x), np.sign(moved - x))


def test_batches_change_nothing_and_a_grid_traces_once(monkeypatch):
    model, x = _model(MCDropout), _rows(50)
    whole = odin.odin_scores(model, x, num_samples=4)
    monkeypatch.setattr(odin, "_rows_at_once", lambda *_: 7)
    for epsilon, temperature in ((0.0014, 1000.0), (0.1, 2.0), (0.2, 3.0)):
        parts = odin.odin_scores(model, x, epsilon, temperature, num_samples=4)
        odin.odin_scores(model, x, epsilon, temperature, num_samples=8, seed=3)
        if epsilon == 0.0014:
            np.testing.assert_allclose(parts, whole, rtol=1e-6)
    assert odin._STEPS[model].experimental_get_tracing_count() == 1


def test_the_step_for_many_draws_is_that_of_their_mean():
    """The draws of one step are coherent, hence rows do not depend on others."""
    model, x = _model(MCDropout), _rows(30)
    alone = np.concatenate([odin.odin_scores(model, row[None], 0.3, 2.0)
                            for row in x[:3]])
    np.testing.assert_allclose(odin.odin_scores(model, x, 0.3, 2.0)[:3], alone,
                               rtol=1e-5)


def test_one_logit_is_a_class_against_another():
    network = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    network.layers[-1].set_weights([np.float32([[2.0]]), np.float32([0.0])])
    model = Deterministic(network, Bernoulli(), seed=0)
    found = odin.odin_scores(model, np.float32([[1.0], [-3.0]]), 0.5, 4.0)
    np.testing.assert_allclose(found, [-2 * 1.5 / 4, -2 * 3.5 / 4], rtol=1e-6)


def test_chosen_step_is_the_best_of_the_grid_on_the_given_set(monkeypatch):
    known, strange = _rows(30), _rows(20, seed=1)
    tried = []

    def scores(model, x, epsilon, *rest):
        tried.append(epsilon)
        # Best apart at 0.2 and 0.3, worse at the others.
        gap = 1.0 if epsilon in (0.2, 0.3) else 0.0
        return np.linspace(0, 1, len(x)) + (gap if len(x) == 20 else 0.0)

    monkeypatch.setattr(odin, "odin_scores", scores)
    grid = [0.3, 0.1, 0.2, 0.0]
    assert odin.choose_epsilon(None, known, strange, grid) == 0.2
    tried.clear()
    odin.choose_epsilon(None, known, strange, scale=2.0)
    assert len(set(tried)) == 21 and min(tried) == 0
    np.testing.assert_allclose(max(tried), 0.004 * 2 * np.ptp(known))


def test_a_chosen_step_does_no_worse_than_none_on_its_own_set():
    model, known, strange = _model(), _rows(100), 0.2 * _rows(100, seed=1)
    epsilon = odin.choose_epsilon(model, known, strange, [0.0, 0.05, 0.2])

    def auroc(step):
        scores = [odin.odin_scores(model, x, step) for x in (known, strange)]
        return odin.ranking.auroc(np.concatenate(scores), np.repeat([0, 1], 100))

    assert auroc(epsilon) == max(map(auroc, [0.0, 0.05, 0.2]))


def test_what_cannot_be_scored_is_refused():
    model, x = _model(), _rows(5)
    with pytest.raises(ValueError, match="temperature=0"):
        odin.odin_scores(model, x, temperature=0)
    with pytest.raises(ValueError, match="epsilon=-1"):
        odin.odin_scores(model, x, epsilon=-1)
    with pytest.raises(ValueError, match="Received: scale="):
        odin.odin_scores(model, x, scale=0.0)
    with pytest.raises(ValueError, match="1 of 5 rows with NaN"):
        odin.odin_scores(model, np.where(np.arange(5)[:, None] == 3, np.nan, x))
    numbers = Deterministic(MLP((6,), (4,), 1), Gaussian(), seed=0)
    with pytest.raises(ValueError, match="likelihood=Gaussian"):
        odin.odin_scores(numbers, x)
    steps = keras.Sequential([keras.Input((6,)), keras.layers.Lambda(tf.round),
                              keras.layers.Dense(3)])
    with pytest.raises(ValueError, match="which has none"):
        odin.odin_scores(Deterministic(steps, seed=0), x)
