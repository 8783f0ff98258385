"""The code of `docs/ecosystem.md` runs as it is written."""

import pathlib
import re

import numpy as np
import pytest

import bdlzoo

TEXT = (pathlib.Path(__file__).parents[1] / "docs/ecosystem.md").read_text()
SKLEARN, WRITE, ASK, REPORT, TUNE, HUB = re.findall(
    r"```python\n(.*?)```", TEXT, re.S)
X = np.random.default_rng(0).normal(size=(24, 4)).astype("float32")
LABELS = np.arange(24) % 3


def _names(**more):
    return {"bdlzoo": bdlzoo, "x": X, "labels": LABELS, "y": X[:, 0], "x_val": X,
            "y_val": LABELS, "x_noisy": 3.0 * X, **more}


def _model():
    network = bdlzoo.networks.MLP((4,), outputs=3, hidden=(8,), dropout=0.5)
    model = bdlzoo.methods.MCDropout(network, num_samples=4, seed=1)
    model.compile("adam")
    return model


def test_training_is_reported_as_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(REPORT, _names(model=_model()))
    assert list(tmp_path.glob("logs/a/events*"))


@pytest.mark.slow
def test_estimators_are_as_written():
    names = _names()
    exec(SKLEARN, names)
    assert names["mean"].shape == names["std"].shape == (24,)
    assert (names["low"] < names["high"]).all()


@pytest.mark.slow
def test_files_are_written_and_asked_as_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = _model()
    model.fit(X, LABELS, verbose=0)
    names = _names(model=model)
    exec(WRITE, names)
    exec(ASK, names)
    expected = model.predict_uncertainty(X, num_samples=16, seed=0)
    np.testing.assert_allclose(names["answer"]["probabilities"], expected.mean,
                               atol=1e-4)


@pytest.mark.slow
def test_a_tuner_searches_as_written(tmp_path, monkeypatch):
    pytest.importorskip("keras_tuner", reason="keras-tuner is not installed")
    monkeypatch.chdir(tmp_path)
    names = _names()
    exec(TUNE, names)
    assert isinstance(names["best"], bdlzoo.methods.MCDropout)


@pytest.mark.slow
def test_a_backbone_is_a_network_as_written():
    try:
        import keras_hub  # noqa: F401
    except Exception as error:  # It may be there and not fit this TensorFlow.
        pytest.skip(f"keras-hub cannot be imported: {error}")
    names = _names()
    exec(HUB, names)
    words = {"token_ids": np.arange(48).reshape(8, 6).astype("int32") % 30,
             "segment_ids": np.zeros((8, 6), "int32"),
             "padding_mask": np.ones((8, 6), "int32")}
    draws = names["model"].sample_outputs(words, num_samples=2)
    assert np.abs(draws[0] - draws[1]).max() > 1e-4
