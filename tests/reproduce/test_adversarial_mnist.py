"""The table of adversarial training, small, on the bundled digits."""

import types

import numpy as np
import pytest

from bdlzoo.evaluation.robustness import Robustness
from tools.reproduce import adversarial_mnist

SMALL = dict(name="digits", epsilon=0.2, epochs=1, num_train=64, batch_size=32)
COLUMNS = {"natural", "fgsm", "pgd20", "pgd100", "mim", "cw", "a_rob", "feature",
           "spsa"}


def test_columns_are_of_all_images_and_slow_ones_of_a_few(monkeypatch):
    asked = []

    def found(network, x, y, attacks, **kwargs):
        asked.append((len(x), list(attacks), kwargs.get("after")))
        right = {name: np.ones(len(x), bool) for name in ("natural", *attacks)}
        return Robustness(right, y)

    monkeypatch.setattr(adversarial_mnist, "trained",
                        lambda *args: types.SimpleNamespace(network=None))
    monkeypatch.setattr(adversarial_mnist, "robustness", found)
    scores = adversarial_mnist.run(name="digits", num_images=30, num_hard=4)
    assert set(scores) == COLUMNS
    assert asked[0] == (30, ["fgsm", "pgd20", "pgd100", "mim", "cw"], None)
    assert asked[1] == (4, ["feature", "spsa"],
                        {"feature": "natural", "spsa": "natural"})


def test_attacks_have_the_ball_of_the_table():
    found = adversarial_mnist.attacks(0.3)
    assert {attack.epsilon for attack in found.values()} == {0.3}
    steps = {key: getattr(attack, "num_steps", 1) for key, attack in found.items()}
    assert steps == {"fgsm": 1, "pgd20": 20, "pgd100": 100, "mim": 20, "cw": 30}
    assert all(attack.num_steps * attack.step_size >= 2 * 0.3
               for key, attack in found.items() if key != "fgsm")


def test_every_method_has_the_network_and_the_radius(monkeypatch):
    seen = {}
    for method, (kind, _) in adversarial_mnist.METHODS.items():
        monkeypatch.setattr(kind, "fit", lambda *args, **kwargs: None)
        seen[method] = adversarial_mnist.trained(0, method, **SMALL)
    assert {model.network.name for model in seen.values()} == {"wong_kolter_cnn"}
    seen.pop("standard")
    assert {(m.epsilon, m.warm_up) for m in seen.values()} == {(0.2, 1.0)}


@pytest.mark.slow
@pytest.mark.parametrize("method", adversarial_mnist.METHODS)
def test_every_row_has_all_columns(method):
    found = adversarial_mnist.run(method=method, num_images=20, num_hard=3,
                                  num_targets=5, num_queries=8, **SMALL)
    assert set(found) == COLUMNS
    assert found["a_rob"] <= min(found[key] for key in COLUMNS - {"feature", "spsa"})


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="method='pgd'"):
        adversarial_mnist.run(method="pgd", name="digits")
