"""Draws that do not fit into memory are summed, and nothing else changes."""

import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from absl import logging

from bdlzoo.core import noise
from bdlzoo.core.class_draws import ClassSummary
from bdlzoo.core.summed_regression import SummedRegression
from bdlzoo.methods import DeepEnsemble, Deterministic, MCDropout, MeanFieldVI
from bdlzoo.model import streaming
from bdlzoo.networks import MLP
from bdlzoo.surgery import memory
from bdlzoo.surgery.bayesianize import bayesianize
from tests.model import peak_memory

RNG = np.random.default_rng(0)
X = RNG.normal(size=(9, 6)).astype("float32")
Y = RNG.integers(0, 3, 9).astype("int32")
MEASURES = ("mean", "label", "confidence", "predictive_entropy", "expected_entropy",
            "mutual_information", "variation_ratio", "mean_variation_ratio",
            "mean_std", "total_variance", "prediction_set", "set_size")
TINY = 800  # Bytes of a budget: one row, and 6 of 11 draws at once.


@pytest.fixture(scope="module")
def model():
    model = MCDropout(MLP((6,), (8, 8), 3, dropout=0.3), seed=0, num_samples=11)
    model.build((None, 6))
    model.calibration.temperature.assign(1.5)
    model.calibration.cover(0.9, 0.8, cumulative=1.0)
    return model


def _assert_equal(found, expected, names, atol=1e-6):
    for name in names:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name),
                                   rtol=0, atol=atol, err_msg=name)


@pytest.mark.parametrize("budget", [
    pytest.param(1, marks=pytest.mark.slow), TINY,
    pytest.param(2400, marks=pytest.mark.slow)])
def test_every_measure_is_that_of_held_draws(model, monkeypatch, budget):
    held = model.predict_uncertainty(X, seed=1)
    monkeypatch.setattr(memory, "BUDGET", budget)
    # The size of parts is a constant of the graph.
    model._draw_from_seed, model._sum_from_seed = streaming.functions(model)
    summed = model.predict_uncertainty(X, seed=1)
    assert isinstance(summed.draws, ClassSummary)
    _assert_equal(summed, held, MEASURES)
    np.testing.assert_allclose(summed.log_prob(Y), held.log_prob(Y), atol=1e-6)
    assert repr(summed) == repr(held)
    with pytest.raises(ValueError, match="sample_outputs"):
        _ = summed.log_probs


@pytest.mark.slow
def test_dataset_that_outgrows_the_budget_is_summed(model, monkeypatch):
    """The first batches were held, and are summed when the next one comes."""
    held = model.predict_uncertainty(X, seed=1)
    monkeypatch.setattr(memory, "BUDGET", 4 * 4 * 11 * 3 * 4)  # Four rows are held.
    batches = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)
    summed = model.predict_uncertainty(batches, seed=1)
    assert isinstance(summed.draws, ClassSummary)
    _assert_equal(summed, held, MEASURES)


def test_no_more_draws_are_in_memory_than_the_budget_says(model, monkeypatch):
    monkeypatch.setattr(memory, "BUDGET", TINY)
    sizes, prediction = [], model.likelihood.prediction

    def spied(draws):
        if not isinstance(draws, tf.__internal__.EagerTensor):
            sizes.append(draws.shape)
        return prediction(draws)

    monkeypatch.setattr(model.likelihood, "prediction", spied, raising=False)
    model._draw_from_seed, model._sum_from_seed = streaming.functions(model)
    model.predict_uncertainty(X[:4], seed=1)
    rows = memory.rows_to_sum(3, 11)
    assert memory.draws_to_sum(rows, 3, 11) * rows * 3 * 4 <= TINY // 8 or rows == 1
    assert sizes and all(shape[1] in (None, rows) for shape in sizes)


@pytest.mark.slow
@pytest.mark.parametrize("jit_compile", [False, True])
def test_graph_sums_too(model, monkeypatch, jit_compile):
    held = model.predict_uncertainty(X)
    monkeypatch.setattr(memory, "BUDGET", TINY)
    # Its batch is not known when it is traced: the parts are as large as fits then.
    answer = tf.function(model.measures, jit_compile=jit_compile, input_signature=[
        tf.TensorSpec([None, 6])])(X)
    for name, value in answer.items():
        np.testing.assert_allclose(value, getattr(held, name), atol=1e-6)


def test_evaluate_sums_and_has_the_same_results(monkeypatch):
    model = MeanFieldVI(bayesianize(MLP((6,), (4,), 3), verbose=False), seed=0,
                        num_samples=5, num_data=9)
    model.compile()
    held = model.evaluate(X, Y, verbose=0, return_dict=True)
    monkeypatch.setattr(memory, "BUDGET", TINY)
    model.compile()
    summed = model.evaluate(X, Y, verbose=0, return_dict=True)
    assert "elbo" in held
    for name, value in held.items():
        np.testing.assert_allclose(summed[name], value, rtol=1e-6, err_msg=name)


def test_numbers_are_summed_beyond_the_draws_that_are_cheap_to_hold(monkeypatch):
    model = MCDropout(MLP((6,), (8,), 2, dropout=0.3), "heteroscedastic_gaussian",
                      seed=0)
    many, few = model.predict_uncertainty(X, 40), model.predict_uncertainty(X, 20)
    monkeypatch.setattr(memory, "BUDGET", TINY)
    summed, parts = model.predict_uncertainty(X, 40), model.predict_uncertainty(X, 20)
    moments = ("mean", "aleatoric", "epistemic", "variance", "std")
    assert isinstance(summed, SummedRegression)
    _assert_equal(summed, many, moments)
    np.testing.assert_allclose(summed.interval()[0], many.interval()[0], atol=1e-3)
    # As many numbers as a summary has: the draws themselves, chunk by chunk.
    np.testing.assert_allclose(parts.means, few.means, atol=1e-6)
    _assert_equal(parts, few, moments)


@pytest.mark.slow
def test_calibration_needs_no_draws(model, monkeypatch):
    def fitted(budget, method, **kwargs):
        monkeypatch.setattr(memory, "BUDGET", budget)
        own = MCDropout(model.network, seed=0, num_samples=11)
        return own.calibrate(X, Y, method, **kwargs)

    for method, kwargs in (("temperature", {}), ("vector", {}), ("isotonic", {}),
                           ("aps", {"level": 0.5})):
        for one, other in zip(np.atleast_1d(fitted(TINY, method, **kwargs)),
                              np.atleast_1d(fitted(2**29, method, **kwargs))):
            np.testing.assert_allclose(one, other, rtol=2e-3, atol=1e-4)


class _OnlyDraw(MCDropout):
    """A method of a stranger, who knows of no parts."""

    def draw(self, inputs, num_samples, key):
        return 2.0 * super().draw(inputs, num_samples, key)


def test_method_that_overrides_draw_alone_is_summed_right(model, monkeypatch):
    own = _OnlyDraw(model.network, seed=0, num_samples=5)
    held = own.predict_uncertainty(X)
    assert np.abs(held.mean - MCDropout(
        model.network, seed=0, num_samples=5).predict_uncertainty(X).mean).max() > 0.01
    monkeypatch.setattr(memory, "BUDGET", TINY)
    _assert_equal(own.predict_uncertainty(X), held, MEASURES[:10])


def test_size_of_parts_changes_no_draw(model):
    key = noise.key(3, noise.PREDICT)
    whole = model.draw(tf.constant(X), 7, key)
    part = streaming.parts_of_draws(model, tf.constant(X), 7, key)
    for size in (1, 3, 4):
        parts = [part(first, size) for first in range(0, 7, size)]
        np.testing.assert_allclose(tf.concat(parts, axis=0)[:7], whole, atol=1e-6)


def test_functions_of_a_user_may_draw_and_predict(model):
    draws = model.sample_outputs(X, 4, seed=2)
    held = model.predict_uncertainty(X, 4, seed=2)

    @tf.function(input_signature=[
        tf.TensorSpec([None, 6]), tf.TensorSpec([], tf.int32)])
    def both(x, count):
        prediction = model.predict_uncertainty(x, 4, seed=2)
        return (model.sample_outputs(x, count, seed=2), prediction.mean,
                prediction.mutual_information, prediction.prediction_set)

    found = both(X, 4)
    for one, other in zip(found, (draws, held.mean, held.mutual_information,
                                  held.prediction_set), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    with pytest.raises(ValueError, match="in the shape"):
        tf.function(lambda x: model.sample_outputs(x))(tf.zeros([2, 5]))


def test_draws_that_are_all_equal_are_told_of_once(caplog):
    logging.set_verbosity(logging.WARNING)

    def said(model, **kwargs):
        caplog.clear()
        model.predict_uncertainty(X, **kwargs)
        model.sample_outputs(X, **kwargs)
        return [r.getMessage() for r in caplog.records if "equal" in r.getMessage()]

    plain = MLP((6,), (4,), 3)
    [text] = said(MCDropout(plain, seed=0))
    assert "no layer of its network draws noise" in text
    assert not said(MCDropout(plain, seed=0), num_samples=1)
    assert not said(Deterministic(plain, seed=0), num_samples=4)


@pytest.mark.slow
def test_equal_draws_that_are_summed_are_told_of_too(monkeypatch, caplog):
    logging.set_verbosity(logging.WARNING)
    monkeypatch.setattr(memory, "BUDGET", TINY)
    for rate in (1e-9, 0.5):
        caplog.clear()
        MCDropout(MLP((6,), (4,), 3, dropout=rate), seed=0).predict_uncertainty(X)
        assert ("does not reach the outputs" in caplog.text) == (rate < 0.5)


@pytest.mark.slow
def test_map_is_exported_and_answers_as_in_process(tmp_path, monkeypatch):
    """The sums are in the served graph; its images may have any size."""
    network = peak_memory.segmenter((None, None, 3), classes=3, width=2)
    model = MCDropout(network, seed=0, num_samples=3)
    images = RNG.uniform(size=(2, 8, 12, 3)).astype("float32")
    held = model.predict_uncertainty(images)
    assert held.mutual_information.shape == (2, 8, 12)
    monkeypatch.setattr(memory, "BUDGET", 8 * 4 * 2 * 8 * 12 * 3)  # A draw at once.
    _assert_equal(model.predict_uncertainty(images), held, held.served)
    version = model.export(tmp_path / "served")
    loaded = tf.saved_model.load(str(version))
    answer = loaded.signatures["serving_default"](inputs=tf.constant(images))
    for name in held.served:
        np.testing.assert_allclose(answer[name], getattr(held, name), atol=1e-5)


@pytest.mark.slow
def test_members_of_an_ensemble_are_summed_in_turn(monkeypatch):
    model = DeepEnsemble(MLP((6,), (4,), 3), num_members=3, seed=0)
    model.build((None, 6))
    held = model.predict_uncertainty(X, 5)
    monkeypatch.setattr(memory, "BUDGET", TINY)
    _assert_equal(model.predict_uncertainty(X, 5), held, MEASURES[:10])


@pytest.mark.slow
@pytest.mark.parametrize("case", peak_memory.CASES)
def test_large_predictions_stay_within_memory(case, capsys):
    """A process for each: 10^6 rows, 10^6 draws, 50 and 100 draws of a map."""
    child = subprocess.run([sys.executable, "-m", "tests.model.peak_memory", case],
                           check=True, capture_output=True, text=True)
    [line] = child.stdout.splitlines()
    with capsys.disabled():
        print(f"\n{line}")
    assert float(line.split()[1]) < (300 if case == "unet" else 1500)
