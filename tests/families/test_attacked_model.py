"""A model that is attacked in training: by which attack, and how far."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks import FGSM, PGD
from bdlzoo.core import noise
from bdlzoo.core.ball import Ball
from bdlzoo.families.attacked_model import AttackedModel

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(20, 4)).astype("float32")
Y = RNG.integers(3, size=20)
KEY = noise.key(0, noise.TRAIN)


def _model(**kwargs):
    keras.utils.set_random_seed(0)
    network = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"),
                                keras.layers.Dense(3)])
    model = AttackedModel(network, seed=0, epsilon=0.2, **kwargs)
    model.build((None, 4))
    return model


def _moved(model, radius):
    return model.attacked(Ball(tf.constant(X), radius, 0.0, 1.0),
                          tf.constant(Y, tf.int32), KEY).inputs.numpy()


@pytest.mark.parametrize("spec, attack", [
    ("FGSM", FGSM(0.1)), (None, PGD(0.1, 0.025, 7)),
    ({"num_steps": 2}, PGD(0.1, 0.025, 2)),
    ({"type": "PGD", "step_size": 0.1, "num_steps": 3}, PGD(0.1, 0.05, 3))])
def test_attack_is_the_one_of_the_spec_in_the_ball_of_the_step(spec, attack):
    """Half of the radius has half of the step, too."""
    model = _model(attack=spec)
    found = _moved(model, 0.1)
    expected = attack.perturb(model.network, tf.constant(X), tf.constant(Y), KEY,
                              **{name: tf.constant(value) for name, value
                                 in attack.settings().items()})
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert np.abs(found - X).max() <= 0.1 + 1e-6
    assert found.min() >= 0 and found.max() <= 1


def test_no_gradient_passes_through_the_attack():
    model = _model(attack="FGSM")
    with tf.GradientTape() as tape:
        moved = model.attacked(Ball(tf.constant(X), 0.1, 0.0, 1.0),
                               tf.constant(Y, tf.int32), KEY).inputs
    assert all(g is None for g in tape.gradient(moved, model.trainable_variables))


@pytest.mark.parametrize("wrong, words", [
    ({"type": "PGD", "epsilon": 0.1}, "without radius and box"), (3, "attack=3"),
    ({"type": "PDG"}, "PGD"), ({"num_steps": 0}, "num_steps=0")])
def test_wrong_attacks_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        _model(attack=wrong)


def test_networks_that_cannot_be_attacked_are_refused_before_training():
    network = keras.Sequential([keras.Input((4,)), keras.layers.Lambda(tf.round),
                                keras.layers.Dense(3)])
    model = AttackedModel(network, epsilon=0.2)
    model.compile("sgd")
    with pytest.raises(ValueError, match="gradient in its inputs"):
        model.fit(X, Y, verbose=0)
