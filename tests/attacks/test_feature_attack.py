"""The feature attack must follow features, and stop where any copy is fooled."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks import FeatureAttack
from bdlzoo.core import registry
from bdlzoo.methods import MCDropout
from tests.attacks.stand_in import Draws

rng = np.random.default_rng(7)
POOL = rng.uniform(size=(12, 5)).astype("float32")
LABELS = np.arange(12) % 3
X = rng.uniform(size=(3, 5)).astype("float32")


@pytest.fixture(scope="module")
def network():
    """Two layers around the middle of the box, so that all classes are there."""
    network = keras.Sequential([
        keras.Input((5,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(3),
        keras.layers.Activation("linear")])
    first, last = (2.0 * np.random.default_rng(1).normal(size=size)
                   for size in ((5, 4), (4, 3)))
    network.set_weights([first, -0.5 * first.sum(axis=0), last, np.zeros(3)])
    return network


def _attack(epsilon=0.2, num_steps=6, pool=POOL, labels=LABELS, **options):
    return FeatureAttack(epsilon, 0.05, num_steps, images=pool, labels=labels,
                         **{"num_targets": 8, "random_start": False, **options})


def _unit(features):
    return features / np.linalg.norm(features, axis=-1, keepdims=True)


def test_one_copy_follows_its_target_until_it_is_fooled(network):
    """Against the steps by hand, image by image, with gradients of the tanh layer."""
    kernel, bias = (w.numpy() for w in network.layers[0].weights)
    y = np.argmax(network(X), -1)
    target, expected, steps = POOL[:1], [], []
    for image, label in zip(X, y, strict=True):
        x = image[None]
        for step in range(6):
            if np.argmax(network(x)) != label:
                break
            hidden, goal = (_unit(np.tanh(z @ kernel + bias)) for z in (x, target))
            norm = np.linalg.norm(np.tanh(x @ kernel + bias))
            slope = (goal - (hidden * goal).sum() * hidden) / norm
            slope = (slope * (1 - np.tanh(x @ kernel + bias) ** 2)) @ kernel.T
            x = np.clip(np.clip(x + 0.05 * np.sign(slope), image - 0.2, image + 0.2),
                        0.0, 1.0)
            steps.append(step)
        expected.append(x[0])
    # Whatever the class of an image, its targets are that one.
    attack = _attack(pool=POOL[[0, 0, 0]], labels=[0, 1, 2], num_targets=2)
    np.testing.assert_allclose(attack(network, X, y), expected, atol=1e-6)
    assert len(steps) > 3


def test_an_image_that_is_fooled_already_stays(network):
    y = (np.argmax(network(X), -1) + 1) % 3
    np.testing.assert_array_equal(_attack()(network, X, y), X)


def test_targets_are_of_other_classes(network):
    """One is; the own ones, though eight, may be anything."""
    y = np.argmax(network(X), -1)
    own = np.flatnonzero(y == y[0])
    assert len(own) == 2
    labels = np.array([(y[0] + 1) % 3] + [y[0]] * 8)
    attack = _attack(pool=POOL[:9], labels=labels, num_targets=1)
    found = attack(network, X[own], y[own], seed=3)
    attack.images = tf.constant(POOL[[0] * 9])
    np.testing.assert_array_equal(found, attack(network, X[own], y[own], seed=3))
    assert abs(found - X[own]).numpy().max() > 0.1


def test_copies_fool_a_network_in_the_ball_and_seeds_reproduce(network):
    """Targets that the network itself holds for others show the way to them."""
    y, labels = (np.argmax(network(z), -1) for z in (X, POOL))
    attack = _attack(0.8, 30, labels=labels, num_targets=2, random_start=True)
    found = attack(network, X, y, seed=1).numpy()
    assert abs(found - X).max() <= 0.8 + 1e-6
    assert found.min() >= 0.0 and found.max() <= 1.0
    assert (np.argmax(network(found), -1) != y).all()
    np.testing.assert_array_equal(found, attack(network, X, y, seed=1))
    attack.epsilon = 0.0
    np.testing.assert_array_equal(attack(network, X, y), X)


def test_features_with_positions_are_averaged():
    """A convolution at the end reads an image: its mean has no positions."""
    network = keras.Sequential([
        keras.Input((4, 4, 1)), keras.layers.Conv2D(3, 2, activation="relu"),
        keras.layers.Conv2D(2, 1), keras.layers.GlobalAveragePooling2D()])
    x = rng.uniform(size=(6, 4, 4, 1)).astype("float32")
    attack = FeatureAttack(0.1, 0.05, 2, images=x, labels=[0, 1] * 3, num_targets=3)
    assert attack(network, x[:1], [0]).shape == (1, 4, 4, 1)


def test_noise_inside_a_network_is_drawn_and_other_posteriors_are_refused(network):
    model = MCDropout(keras.Sequential([
        keras.Input((5,)), keras.layers.Dense(4), keras.layers.Dropout(0.5),
        keras.layers.Dense(3)]), seed=0)
    attack = _attack(0.1, 2, num_samples=2)
    found = attack(model, X[:1], [0], seed=1)
    assert abs(found - X[:1]).numpy().max() <= 0.1 + 1e-6
    with pytest.raises(ValueError, match="model=Draws"):
        attack(Draws(3), X, [0, 1, 2])


@pytest.mark.parametrize("wrong, message", [
    (dict(num_targets=9), "here 8. Received: num_targets=9"),
    (dict(num_targets=0), "num_targets=0"), (dict(pool=None), "labels=None"),
    (dict(labels=LABELS[:9], num_targets=2), "labels.shape"),
    (dict(targeted=True), "targeted=True")])
def test_wrong_settings_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        _attack(**wrong)


def test_config_finds_it_by_name_with_the_published_settings():
    attack = registry.build(
        {"type": "feature_attack", "epsilon": 8 / 255, "step_size": 1 / 255},
        images=np.zeros((600, 2)), labels=np.arange(600) % 3)
    assert (attack.num_steps, attack.num_targets) == (50, 200)
    assert tf.is_tensor(attack.settings()["images"])
