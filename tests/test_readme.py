"""The first page of the README is true."""

import ast
import pathlib
import re

import keras
import numpy as np
import pytest

import bdlzoo

ROOT = pathlib.Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
QUICKSTART, TWIN, ADAPT, SAMPLE, EVALUATE, ATTACK = re.findall(
    r"```python\n(.*?)```", README, re.S)


def test_quickstart_has_eight_statements():
    assert len(ast.parse(QUICKSTART).body) <= 8


def test_quickstart_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(QUICKSTART, names)
    prediction = names["prediction"]
    assert np.mean(prediction.label == names["y"][:5]) > 0.5
    assert (tmp_path / "served/digits/1/saved_model.pb").exists()
    promised = README.split("`prediction.mean`")[1].split("for regression")[0]
    for attribute in re.findall(r"`\.(\w+)`", promised):
        assert np.isfinite(getattr(prediction, attribute)).all()


@pytest.mark.slow
def test_sampling_is_as_written():
    """Its statements, with fewer steps."""
    rows = np.random.default_rng(0).normal(size=(64, 2)).astype("float32")
    names = {"bdlzoo": bdlzoo, "keras": keras, "x": rows,
             "y": (rows[:, 0] > 0).astype("int32"),
             "network": keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)])}
    exec(SAMPLE.replace("burn_in=500, thinning=100", "burn_in=0, thinning=1")
         .replace("steps=3000", "steps=2"), names)
    # Forty steps, which get shorter: the time of a little over 39 first ones.
    assert len(names["model"].kept_samples()) == 39
    assert names["small"].predict(rows, verbose=0).shape == (64, 2)


def test_twin_of_keras_applications_is_as_written():
    """Its statements, on a smaller network of the same family."""
    code = TWIN.replace("MobileNetV2(", "MobileNetV2(alpha=0.35, "
                        "input_shape=(32, 32, 3), ")
    names = {"bdlzoo": bdlzoo, "keras": keras}
    exec(code, names)
    names["model"].build((None, 32, 32, 3))
    assert float(names["model"].kl()) > 0


def test_a_trained_network_is_adapted_as_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(0).normal(size=(64, 2)).astype("float32")
    mine = keras.Sequential([keras.Input((2,)), keras.layers.Dense(
        2, bias_initializer="ones")])
    mine.save("mine.keras")
    names = {"bdlzoo": bdlzoo, "keras": keras, "x": rows,
             "y": (rows[:, 0] > 0).astype("int32")}
    exec(ADAPT, names)
    assert names["model"].scale_optimizer.iterations == 4
    np.testing.assert_allclose(names["model"].network(rows), mine(rows), atol=0.1)


def test_any_classifier_is_evaluated_as_written():
    classifier = keras.Sequential([
        keras.layers.Flatten(), keras.layers.Dense(10, activation="softmax")])
    x, y = bdlzoo.data.load("digits", "test")
    names = {"classifier": classifier, "test": bdlzoo.data.Split(x[:40], y[:40])}
    exec(EVALUATE, names)
    assert names["evaluation"].headline["accuracy"].value == np.mean(
        np.argmax(classifier(x[:40]), axis=1) == y[:40])
    assert names["evaluation"].shift


def test_files_that_are_linked_are_there():
    for path in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / path).exists(), path


def test_attacks_are_as_written():
    x = np.random.default_rng(0).uniform(size=(8, 2)).astype("float32")
    classifier = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)])
    classifier.set_weights([np.array([[4.0, -4.0], [0.0, 0.0]]), np.array([-2.0, 2.0])])
    names = {"classifier": classifier, "x": x, "y": np.argmax(classifier(x), -1)}
    exec(ATTACK, names)
    accuracy = names["found"].accuracy()
    assert accuracy["natural"] == 1.0
    assert accuracy["a_rob"] == accuracy["pgd_100"] <= accuracy["fgsm"] < 1.0
