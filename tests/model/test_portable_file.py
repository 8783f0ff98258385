"""Files of other runtimes answer as the model does, with the draws of a seed."""

import timeit

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo
from bdlzoo.model import portable_file
from bdlzoo.serving.served_version import ServedVersion
from tests.model import portable

FORMATS = [pytest.param("onnx", marks=portable.NEEDS_ONNX), "litert"]
X = np.random.default_rng(0).uniform(size=(9, 6)).astype("float32")
Y = np.arange(9) % 3


def _network(outputs=3, dropout=0.5):
    return bdlzoo.networks.MLP((6,), outputs=outputs, hidden=(16, 16), dropout=dropout)


@pytest.fixture(scope="module")
def dropout():
    """MC dropout of classes, which the tests of this file share."""
    return _trained(bdlzoo.methods.MCDropout(_network(), num_samples=16, seed=3))


def _trained(model, y=Y, optimizer="adam"):
    model.compile(optimizer)
    model.fit(X, y, epochs=1, batch_size=9, verbose=0)
    return model


def _agree(model, format, folder, x=X, **options):
    path = folder / f"model{portable_file.FORMATS[format].SUFFIX}"
    assert model.export(path, format=format, **options) == path
    for rows in (x[:1], x):  # Any number of rows.
        wanted = model.predict_uncertainty(rows, **options).measures(
            model.calibration.is_conformal())
        found = portable.answers(path, format, rows)
        assert found.keys() == wanted.keys()
        for name, right in wanted.items():
            np.testing.assert_allclose(found[name], right, 1e-4, 1e-4, err_msg=name)
    return found


@pytest.mark.parametrize("format", FORMATS)
def test_masks_of_a_seed_and_a_calibration_are_in_the_file(format, dropout, tmp_path):
    dropout.calibrate(X, Y, method="vector")
    found = _agree(dropout, format, tmp_path, num_samples=5, seed=(7, 8))
    other = dropout.predict_uncertainty(X, num_samples=5, seed=7)
    gap = np.abs(found["mutual_information"] - other.mutual_information)
    assert gap.max() > 1e-3  # The seed matters.


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_images_have_the_same_answer_elsewhere(format, tmp_path):
    """With `-s`, prints sizes and times, beside those of the SavedModel."""
    methods, network = bdlzoo.methods, bdlzoo.networks.SmallCNN
    x, y = (part[:200] for part in bdlzoo.data.load("digits"))
    for model in (
            methods.MCDropout(network(x.shape[1:], dropout=0.4), num_samples=16,
                              seed=1),
            methods.DeepEnsemble(network(x.shape[1:]), num_members=5, seed=1),
            methods.MeanFieldVI(bdlzoo.bayesianize(network(x.shape[1:])),
                                num_samples=8, seed=1)):
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=2, verbose=0)
        model.calibrate(x, y)
        _agree(model, format, tmp_path, x=x[:32])
        [path] = tmp_path.glob("model.*")
        served = ServedVersion(model.export(tmp_path / "served"))
        one = x[:1]
        took = {format: _milliseconds(portable.runner(path, format), one),
                "SavedModel": _milliseconds(
                    lambda rows: served.run({"inputs": rows}), one)}
        print(f"{type(model).__name__} as {format}: {path.stat().st_size / 2**20:.2f} "
              "MiB; a row takes", ", ".join(
                  f"{value:.2f} ms as {name}" for name, value in took.items()))


def _milliseconds(run, rows):
    """The quickest of some answers."""
    return 1000.0 * min(timeit.repeat(lambda: run(rows), number=1, repeat=50))


@pytest.mark.slow
def test_members_and_kept_draws_are_in_the_file(tmp_path):
    methods = bdlzoo.methods
    for model, optimizer in (
            (methods.DeepEnsemble(_network(dropout=0.0), num_members=3, seed=1),
             "adam"),
            (methods.MeanFieldVI(bdlzoo.bayesianize(_network(dropout=0.0)),
                                 num_samples=4, seed=2), "adam"),
            (methods.SGLD(_network(dropout=0.0), num_chains=12, num_kept=1, burn_in=0,
                          thinning=1, prior_scale=1.0, seed=3), "sgd")):
        _agree(_trained(model, optimizer=optimizer), "litert", tmp_path)


@pytest.mark.slow
def test_numbers_have_their_quantiles_in_the_file(tmp_path):
    model = bdlzoo.methods.MCDropout(
        _network(outputs=2), "heteroscedastic_gaussian", num_samples=4, seed=1)
    _trained(model, X[:, :1])
    model.calibrate(X, X[:, :1], method="interval", level=0.8)
    found = _agree(model, "litert", tmp_path)
    assert {"mean", "low_95", "quantiles", "conformal_low"} <= found.keys()


@pytest.mark.slow
def test_sets_without_random_numbers_are_in_the_file(dropout, tmp_path):
    dropout.calibrate(X, Y, method="lac", level=0.8)
    found = _agree(dropout, "litert", tmp_path)["prediction_set"]
    assert found.any() and not found.all()
    dropout.calibrate(X, Y)  # Removes the sets.


def test_sets_of_random_numbers_are_refused(dropout, tmp_path):
    dropout.calibrate(X, Y, method="aps", level=0.8)
    with pytest.raises(ValueError, match="method=\"lac\""):
        dropout.export(tmp_path / "aps.tflite", format="litert")
    assert not (tmp_path / "aps.tflite").exists()
    dropout.calibrate(X, Y)


@pytest.mark.slow
def test_preprocessing_comes_first(dropout, tmp_path):
    double = keras.Sequential([keras.Input((6,)), keras.layers.Rescaling(2.0)])
    path = dropout.export(tmp_path / "a.tflite", double, format="litert")
    np.testing.assert_allclose(
        portable.answers(path, "litert", X)["probabilities"],
        dropout.predict_uncertainty(2.0 * X).probabilities, 1e-4, 1e-5)


@pytest.mark.slow
def test_inputs_keep_their_names(tmp_path):
    inputs = {"left": keras.Input((2,), name="left"),
              "right": keras.Input((4,), name="right")}
    hidden = keras.layers.Dropout(0.5)(keras.layers.Concatenate()(
        [inputs["left"], inputs["right"]]))
    network = keras.Model(inputs, keras.layers.Dense(3)(hidden))
    model = bdlzoo.methods.MCDropout(network, num_samples=3, seed=1)
    x = {"left": X[:, :2], "right": X[:, 2:]}
    model.compile()
    model.fit(x, Y, epochs=1, verbose=0)
    path = model.export(tmp_path / "a.tflite", format="litert")
    runner = tf.lite.Interpreter(str(path)).get_signature_runner("serving_default")
    np.testing.assert_allclose(runner(**x)["probabilities"],
                               model.predict_uncertainty(x).probabilities, 1e-4, 1e-5)


@pytest.mark.slow
def test_a_file_that_answers_otherwise_is_not_written(dropout, tmp_path, monkeypatch):
    kind = portable_file.FORMATS["litert"]
    right = kind.answers
    monkeypatch.setattr(kind, "answers", lambda *asked: {
        name: value * 1.01 for name, value in right(*asked).items()})
    with pytest.raises(ValueError, match="answers as the model"):
        dropout.export(tmp_path / "a.tflite", format="litert")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_networks_that_a_runtime_cannot_run_are_refused(tmp_path):
    network = bdlzoo.networks.SDEMLP((6,), hidden=(4,), outputs=2, diffusion="held")
    model = bdlzoo.methods.SDENet(network, num_samples=2, seed=1)
    model.build((None, 6))
    with pytest.raises(ValueError, match="runtime of the format can run"):
        model.export(tmp_path / "a.tflite", format="litert")
    assert not list(tmp_path.iterdir())
