"""The adapter of adversarial-robustness-toolbox, with a stand-in and, slow, itself."""

import sys
import types

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks import PGD, ARTAttack
from tests.attacks.stand_in import Draws

rng = np.random.default_rng(8)
X = rng.uniform(size=(6, 5)).astype("float32")
Y = np.array([0, 1, 2, 0, 1, 2])


@pytest.fixture
def network():
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((5,)), keras.layers.Dense(3)])


class Estimator(types.SimpleNamespace):
    """What the toolbox makes of a model: here, its arguments."""


class Drift:
    """Moves all pixels up by twice `eps`, and notes what it was told."""

    attack_params = ["eps", "targeted", "max_iter"]
    told = []

    def __init__(self, estimator, **options):
        self.estimator, self.options = estimator, options

    def generate(self, x, y):
        asked = [self.estimator.model(x, training=True).numpy() for _ in range(2)]
        self.told.append((self.estimator, self.options, y, *asked))
        return x + 2.0 * self.options["eps"]


@pytest.fixture
def toolbox(monkeypatch):
    for name in ("art", "art.attacks", "art.attacks.evasion", "art.estimators",
                 "art.estimators.classification"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["art.attacks.evasion"].Drift = Drift
    sys.modules["art.estimators.classification"].TensorFlowV2Classifier = Estimator
    Drift.told.clear()
    return Drift.told


def test_toolbox_sees_scores_and_its_result_is_projected(toolbox, network):
    attack = ARTAttack("Drift", 0.1, {"max_iter": 7})
    found = attack(network, X, Y, seed=1)
    np.testing.assert_allclose(found, np.clip(X + 0.1, 0.0, 1.0), atol=1e-6)
    [(estimator, options, y, scores, later)] = toolbox
    np.testing.assert_array_equal(scores, later)
    assert options == {"eps": 0.1, "targeted": False, "max_iter": 7}
    assert isinstance(y, np.ndarray)
    np.testing.assert_array_equal(y, np.eye(3)[Y])
    np.testing.assert_allclose(scores, network(X), atol=1e-5)
    assert (estimator.nb_classes, estimator.input_shape) == (3, (5,))
    assert estimator.clip_values == (0.0, 1.0)
    loss = estimator.loss_object(Y, scores)
    np.testing.assert_allclose(loss, np.mean(
        np.log(np.exp(scores).sum(-1)) - scores[np.arange(6), Y]), rtol=1e-5)


def test_posterior_is_shown_by_its_mean_and_drawn_anew(toolbox):
    attack, model = ARTAttack("Drift", 0.0, num_samples=500), Draws(3)
    for seed in (1, 2, 1):
        np.testing.assert_array_equal(attack(model, X, Y, seed), X)
    (*_, first, later), (*_, second, _), (*_, again, _) = toolbox
    assert abs(first - later).max() > 1e-4
    np.testing.assert_array_equal(first, again)
    # Mean probabilities are 1/3, and 500 draws know them to some per cent.
    np.testing.assert_allclose(np.exp(first), 1 / 3, atol=0.08)
    np.testing.assert_allclose(np.exp(first).sum(-1), 1.0, rtol=1e-5)
    assert abs(first - second).max() > 1e-4


def test_missing_toolbox_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "art.attacks.evasion", None)
    monkeypatch.setitem(sys.modules, "art", None)
    with pytest.raises(ImportError, match="pip install adversarial-robustness-toolbox"):
        ARTAttack("ProjectedGradientDescent", 0.1)


def test_wrong_use_is_refused(toolbox, network):
    with pytest.raises(ValueError, match="Received: name='Shift'"):
        ARTAttack("Shift", 0.1)
    attack = ARTAttack("Drift", 0.1)
    with pytest.raises(ValueError, match="outside of `tf.function`"):
        tf.function(lambda x: attack(network, x, Y))(tf.constant(X))


@pytest.mark.slow
def test_projected_gradient_descent_agrees_with_ours(network):
    pytest.importorskip("art")
    own = PGD(0.1, 0.03, 10, random_start=False)(network, X, Y)
    found = ARTAttack("ProjectedGradientDescent", 0.1, {
        "eps_step": 0.03, "max_iter": 10})(network, X, Y)
    np.testing.assert_allclose(found, own, atol=1e-5)
