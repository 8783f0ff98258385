"""C&W must climb the margin, where cross entropy has long faded."""

import keras
import numpy as np
import pytest

from bdlzoo.attacks import PGD, CarliniWagner, MarginLoss
from bdlzoo.core import registry

rng = np.random.default_rng(5)
X = rng.uniform(size=(12, 5)).astype("float32")


@pytest.fixture(scope="module")
def sure():
    """A linear network with three classes whose logits are hundreds apart."""
    network = keras.Sequential([keras.Input((5,)), keras.layers.Dense(3)])
    kernel = np.random.default_rng(0).normal(size=(5, 3))
    network.layers[0].set_weights([400.0 * kernel, np.zeros(3)])
    return network


def test_it_is_pgd_on_the_margin(sure):
    y = np.argmax(sure(X), -1)
    own = CarliniWagner(0.3, 0.05, 5)(sure, X, y, seed=2)
    loss = {"type": "MarginLoss", "hinge": 50.0}
    np.testing.assert_array_equal(own, PGD(0.3, 0.05, 5, loss=loss)(sure, X, y, seed=2))


def test_a_saturated_network_does_not_stop_it(sure):
    y = np.argmax(sure(X), -1)
    left = [np.mean(np.argmax(sure(attack(sure, X, y)), -1) == y) for attack in (
        PGD(0.3, 0.05, 10, random_start=False),
        CarliniWagner(0.3, 0.05, 10, random_start=False))]
    assert left[1] < left[0] - 0.3
    target = (y + 1) % 3
    found = CarliniWagner(0.6, 0.1, 10, targeted=True)(sure, X, target)
    assert np.mean(np.argmax(sure(found), -1) == target) > 0.4


def test_config_finds_it_by_name_with_the_published_settings():
    attack = registry.build(
        {"type": "carlini_wagner", "epsilon": 8 / 255, "step_size": 2 / 255})
    assert isinstance(attack.loss, MarginLoss)
    assert (attack.num_steps, attack.loss.hinge, attack.random_start) == (30, 50, True)
