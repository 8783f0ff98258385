"""Poisoning: rows move inside their balls, and nothing else changes."""

import numpy as np
import pytest

from bdlzoo.evaluation import influence, poison, suspicion
from tests.evaluation import influence_cases as cases


def test_two_moved_rows_turn_the_answer_inside_the_ball():
    train, _ = cases.data()
    model = cases.logistic()
    # A point between two classes, on the side of its own.
    near = np.mean([train[0][train[1] == c].mean(axis=0) for c in (0, 1)], axis=0)
    probe = next(near + np.eye(4)[0] * s for s in np.linspace(-1, 1, 81)
                 if np.argmax(model.predict(
                     (near + np.eye(4)[0] * s)[None], verbose=0)) == 0)
    test = probe[None].astype("float32"), np.zeros(1, "int32")
    found = influence(model, train, test, likelihood="categorical")
    before = found.losses.hidden
    options = dict(low=-9.0, high=9.0, step_size=0.1)
    attack = poison(found, train, test, 0, count=2, epsilon=1.0, **options)
    assert attack.turned and attack.probabilities[1] < attack.probabilities[0]
    assert np.abs(attack.x - train[0][attack.rows]).max() <= 1.0 + 1e-6
    assert found.losses.hidden is before  # The attack leaves no trace.
    small = poison(found, train, test, 0, count=2, epsilon=1e-4, max_steps=2, **options)
    assert not small.turned and small.steps == 2
    ranks = suspicion(found, train, attack, dict(max_gradient=None))
    assert ranks.shape == (2,) and (0 <= ranks).all() and (ranks < cases.ROWS).all()
    np.testing.assert_allclose(found.losses.head.vector, found.vector)


def test_wrong_options_are_refused():
    train, test = cases.data()
    found = influence(cases.logistic(), train, test, likelihood="categorical")
    with pytest.raises(ValueError, match="epsilon=0"):
        poison(found, train, test, 0, epsilon=0)
    found.of = "variance"
    with pytest.raises(ValueError, match="of='variance'"):
        poison(found, train, test, 0)
