"""Tests of detection by an adapted network, small, on the bundled digits."""

import numpy as np
import pytest

from tools.reproduce import adapted_detection

SMALL = dict(name="digits", outside="mnist", count=100, num_attacked=40,
             num_samples=4, num_steps=3, epochs=3)
NAMES = {"accuracy", "uniform", "outside", "fgsm", "kept_fgsm", "pgd", "kept_pgd",
         "evasive", "kept_evasive"}


@pytest.mark.slow
@pytest.mark.parametrize("method", adapted_detection.METHODS)
def test_every_method_gives_all_scores(method, monkeypatch):
    monkeypatch.setattr(adapted_detection, "outside_sets", lambda names, x, seed: {
        name: np.zeros_like(x) + 0.5 for name in names})
    found = adapted_detection.run(method=method, **SMALL)
    assert set(found) == NAMES
    assert all(0 <= value <= 1 for value in found.values())
    assert found["accuracy"] > 0.5
    if method == "map":  # It has no draws to keep together.
        assert found["evasive"] == found["pgd"]


def test_attackers_have_the_radius_and_the_draws_of_the_detector():
    attacks = adapted_detection._attacks(7, 20, 2.0)
    assert {attack.epsilon for attack in attacks.values()} == {0.15}
    assert {attack.num_samples for attack in attacks.values()} == {7}
    assert [attack.evasion for attack in attacks.values()] == [0.0, 0.0, 2.0]
    # Far enough to cross the ball in any direction.
    assert attacks["pgd"].num_steps * attacks["pgd"].step_size > 2 * 0.15


def test_a_wrong_method_is_refused():
    with pytest.raises(ValueError, match="method='mcmc'"):
        adapted_detection.run(method="mcmc")
    with pytest.raises(ValueError, match="network='lenet'"):
        adapted_detection.run(network="lenet")
