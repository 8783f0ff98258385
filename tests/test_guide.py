"""The code of `docs/guide.md` runs as it is written."""

import pathlib
import re

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo

DOCS = pathlib.Path(__file__).parents[1] / "docs"
GUIDE = (DOCS / "guide.md").read_text()
(TWIN, ADAPT, AFTER, SAMPLE, AGREE, ALIGN, DENSITY, ESTIMATE, EVALUATE, COVER, ACT,
 ATTACK) = re.findall(r"```python\n(.*?)```", GUIDE, re.S)


def test_laplace_is_as_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(0).normal(size=(64, 2)).astype("float32")
    keras.Sequential([keras.Input((2,)), keras.layers.Dense(
        2, bias_initializer="ones")]).save("mine.keras")
    names = {"bdlzoo": bdlzoo, "keras": keras, "x": rows, "x_test": rows,
             "y": (rows[:, 0] > 0).astype("int32")}
    exec(AFTER, names)
    assert len(names["model"].prior_scales) == 1
    told = GUIDE.split("## After training")[1].split("\n## ")[0]
    for select, structure, predictive in (
            ("last", "full", "probit"), ("all", "diagonal", "weights"),
            ("last", "kronecker", "bridge")):
        assert all(f'"{word}"' in told for word in (select, structure, predictive))
        bdlzoo.methods.Laplace(names["trained"], select=select, structure=structure,
                               predictive=predictive)


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


def test_techniques_that_are_named_exist():
    told = GUIDE.split("`technique=`")[1].split("\n\n")[0]
    dense = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)])
    techniques = re.findall(r'"(\w+)"', told)
    assert len(techniques) >= 4
    for technique in techniques:
        twin = bdlzoo.bayesianize(dense, technique=technique, verbose=False)
        assert type(twin.layers[-1]).__name__.startswith("Dense")
        assert twin.layers[-1].kl() is not None


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


def test_few_labels_are_used_as_written():
    """Its statements, on images of 8 x 8 and for one epoch."""
    x, _ = bdlzoo.data.load("digits")
    network = keras.Sequential([keras.Input((8, 8, 1)), keras.layers.Flatten(),
                                keras.layers.Dense(10)])
    names = {"bdlzoo": bdlzoo, "keras": keras, "network": network, "x": x[:20],
             "y": np.arange(20) % 10, "x_more": x[20:60]}
    exec(AGREE.replace("epochs=20", "epochs=1"), names)
    assert names["model"].predict(x[:2], verbose=0).shape == (2, 10)


def test_domains_are_aligned_as_written():
    rows = np.random.default_rng(0).normal(size=(64, 2)).astype("float32")
    names = {"bdlzoo": bdlzoo, "keras": keras, "x": rows, "x_target": rows + 1.0,
             "y": (rows[:, 0] > 0).astype("int32"),
             "network": keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)])}
    exec(ALIGN.replace("epochs=20", "epochs=1").replace("(300, 600)", "(1, 1)"), names)
    assert names["model"].optimizer.iterations == 2


def test_density_of_inputs_is_as_written():
    rows = np.random.default_rng(0).uniform(size=(40, 6)).astype("float32")
    names = {"bdlzoo": bdlzoo, "x": rows,
             "encoder": bdlzoo.networks.MLP((6,), hidden=(4,), outputs=30),
             "decoder": bdlzoo.networks.MLP((30,), hidden=(4,), outputs=6)}
    exec(DENSITY.replace("epochs=30", "epochs=1").replace("=1000", "=4"), names)
    assert names["codes"].shape == (40, 15) and names["new"].shape == (64, 6)
    assert names["log_density"].shape == (40,)


def test_estimator_works_in_a_step_as_written():
    potentials = tf.zeros([2, 1, 3])
    costs = tf.constant([0.0, 1.0, 5.0])
    names = {"bdlzoo": bdlzoo, "tf": tf, "potentials": potentials,
             "loss_of": lambda codes: tf.tensordot(codes[..., 0, :], costs, 1)}
    exec(ESTIMATE, names)
    assert names["gradient"].shape == (2, 1, 3)
    np.testing.assert_allclose(tf.reduce_sum(names["gradient"], axis=-1), 0.0)


@pytest.mark.slow
def test_an_agent_is_trained_and_asked_as_written(tmp_path, monkeypatch):
    """Its statements, with fewer episodes."""
    monkeypatch.chdir(tmp_path)
    names = {"bdlzoo": bdlzoo, "observations": np.zeros(
        (3, *bdlzoo.worlds.Rooms(num_rooms=2).observation_shape), "float32")}
    exec(ACT.replace("episodes=5000, epochs=20", "episodes=4, epochs=1")
         .replace("episodes=100", "episodes=2"), names)
    assert len(names["choice"].action) == 3


def test_any_classifier_is_evaluated_as_written():
    classifier = keras.Sequential([
        keras.layers.Flatten(), keras.layers.Dense(10, activation="softmax")])
    x, y = bdlzoo.data.load("digits", "test")
    names = {"classifier": classifier, "test": bdlzoo.data.Split(x[:40], y[:40])}
    exec(EVALUATE, names)
    assert names["evaluation"].headline["accuracy"].value == np.mean(
        np.argmax(classifier(x[:40]), axis=1) == y[:40])
    assert names["evaluation"].shift


def test_attacks_are_as_written():
    x = np.random.default_rng(0).uniform(size=(8, 2)).astype("float32")
    classifier = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)])
    classifier.set_weights([np.array([[4.0, -4.0], [0.0, 0.0]]), np.array([-2.0, 2.0])])
    names = {"classifier": classifier, "x": x, "y": np.argmax(classifier(x), -1)}
    exec(ATTACK, names)
    accuracy = names["found"].accuracy()
    assert accuracy["natural"] == 1.0
    assert accuracy["a_rob"] == accuracy["pgd_100"] <= accuracy["fgsm"] < 1.0


def test_links_lead_to_files_and_sections():
    headings = {re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-")
                for line in re.findall(r"^#+ (.*)", GUIDE, re.M)}
    for target in re.findall(r"\]\(([^)]+)\)", GUIDE):
        found = (target[1:] in headings if target.startswith("#")
                 else (DOCS / target).exists())
        assert found, target


def test_sets_are_as_written():
    x = np.random.default_rng(0).normal(size=(60, 2)).astype("float32")
    names = {"bdlzoo": bdlzoo, "x_val": x, "y_val": (x[:, 0] > 0).astype(int),
             "x_test": x[:5], "classifier": keras.Sequential(
                 [keras.Input((2,)), keras.layers.Dense(2, "softmax")])}
    exec(COVER, names)
    assert names["sets"].predict(x[:5]).shape == (5, 2)
