"""Poisoned training on the digits."""

import pytest

from tools.reproduce import poisoned_training


@pytest.mark.slow
@pytest.mark.parametrize("bayesian", [False, True])
def test_larger_balls_turn_more_answers(bayesian):
    scores = [poisoned_training.run(
        name="digits", classes=(3, 8), num_train=60, num_test=2, epochs=5, max_steps=5,
        num_samples=2, hidden=16, num_others=600, bayesian=bayesian, epsilon=epsilon)
        for epsilon in (0.01, 0.8)]
    assert 0 <= scores[0]["turned"] <= scores[1]["turned"] <= 1
    assert scores[1]["poison_steps"] <= 5 and 0 <= scores[1]["rank_share"] < 1


def test_unknown_picks_are_refused():
    with pytest.raises(ValueError, match="pick='best'"):
        poisoned_training.run(pick="best")
