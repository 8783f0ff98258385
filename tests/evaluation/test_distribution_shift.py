"""The protocol measures what it says, on the images it says."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import data
from bdlzoo.corruptions import ALL, AdditiveNoise, Brightness, Rotation
from bdlzoo.data.split import Split
from bdlzoo.evaluation import distribution_shift as shift
from bdlzoo.evaluation.distribution_shift import (
    distribution_shift,
    mean_over_corruptions,
)
from bdlzoo.methods import Deterministic, MCDropout
from bdlzoo.networks import MLP

DIGITS = Split(*(part[:60] for part in data.load("digits", "test")))


def _model(num_samples=4):
    network = MLP((8, 8, 1), (16,), 10, dropout=0.3)
    return MCDropout(network, num_samples=num_samples, seed=0)


def test_table_holds_the_measures_of_the_mean_predictive_by_hand():
    model = _model()
    result = distribution_shift(model, DIGITS, (Rotation, AdditiveNoise), (2, 5),
                                num_samples=3, seed=4, verbose=0)
    assert list(result) == ["Rotation", "AdditiveNoise"]
    for kind in (Rotation, AdditiveNoise):
        table = result[kind.__name__]
        assert table["severity"] == [0, 2, 5]
        for index, severity in ((0, None), (1, 2), (2, 5)):
            x = kind(severity, 4)(DIGITS.x) if severity else DIGITS.x
            probs = model.predict_uncertainty(x, 3, seed=4).probabilities
            probs = probs.astype("float64")
            own = probs[np.arange(60), DIGITS.y]
            sure, hit = probs.max(1), probs.argmax(1) == DIGITS.y
            bins = np.ceil(sure * 15)
            expected = {
                "accuracy": hit.mean(), "nll": -np.log(own).mean(),
                "brier": (np.sum(probs**2, 1) - 2 * own + 1).mean(),
                "entropy": -np.sum(probs * np.log(probs), 1).mean(),
                "ece": sum(abs(np.sum((hit - sure)[bins == b]))
                           for b in range(1, 16)) / 60}
            for name, value in expected.items():
                assert abs(table[name][index] - value) < 1e-4, name


def test_model_of_light_errs_as_the_light_says():
    # Class 1 wins from a mean brightness of a half on.
    network = keras.Sequential([keras.Input((4, 4, 1)), keras.layers.Flatten(),
                                keras.layers.Dense(2)])
    network.layers[1].set_weights(
        [np.tile([[0.0, 1.0]], (16, 1)), np.array([8.0, 0.0])])
    x = np.linspace(0.05, 0.45, 5, dtype="float32")[:, None, None, None]
    split = Split(x * np.ones((1, 4, 4, 1), "float32"), np.zeros(5, "int32"))
    table = distribution_shift(Deterministic(network), split, [Brightness],
                               verbose=0)["Brightness"]
    assert table["accuracy"] == pytest.approx([1, 0.8, 0.6, 0.4, 0.2, 0])


def test_all_corruptions_are_traced_once(monkeypatch):
    model = _model(2)
    monkeypatch.setattr(shift, "_ROWS", 40)  # The last chunk is smaller.
    result = distribution_shift(model, DIGITS, severities=(1, 3), verbose=0)
    assert list(result) == [kind.__name__ for kind in ALL]
    assert model._draw_from_seed.experimental_get_tracing_count() == 1


def test_chunks_of_images_change_nothing(monkeypatch):
    options = dict(corruptions=[AdditiveNoise], severities=[4], verbose=0)
    model = _model()
    whole = distribution_shift(model, DIGITS, **options)
    monkeypatch.setattr(shift, "_ROWS", 7)
    chunked = distribution_shift(model, DIGITS, **options)
    for name, values in whole["AdditiveNoise"].items():
        np.testing.assert_allclose(chunked["AdditiveNoise"][name], values, atol=1e-5)


def test_mean_is_over_corruptions_at_each_severity():
    result = {"A": {"severity": [0, 1], "nll": [1.0, 2.0]},
              "B": {"severity": [0, 1], "nll": [1.0, 5.0]}}
    assert mean_over_corruptions(result) == {"severity": [0, 1], "nll": [1.0, 3.5]}


def test_progress_counts_to_the_end(capsys):
    distribution_shift(_model(1), DIGITS, [Brightness], [1, 2], verbose=1)
    assert "3/3" in capsys.readouterr().out


def test_flat_data_and_models_of_numbers_are_refused():
    flat = Split(DIGITS.x.reshape(60, -1), DIGITS.y)
    with pytest.raises(ValueError, match=r"Received: x.shape=\(60, 64\)"):
        distribution_shift(_model(), flat, verbose=0)
    network = MLP((8, 8, 1), (4,), 1)
    model = Deterministic(network, likelihood="gaussian")
    real = Split(DIGITS.x, tf.cast(DIGITS.y, tf.float32).numpy()[:, None])
    with pytest.raises(ValueError, match="model of classes.*RegressionPrediction"):
        distribution_shift(model, real, verbose=0)


def test_images_in_bytes_are_refused():
    loud = Split(DIGITS.x * 255, DIGITS.y)
    with pytest.raises(ValueError, match="scale the images"):
        distribution_shift(_model(), loud, verbose=0)
