"""Looks at an agent while it learns, and their curves."""

import numpy as np

from tools.reproduce import looks


class _Model:
    """An agent whose return is the number of times that it was looked at."""

    stop_training = False

    def __init__(self):
        self.asked = []

    def evaluate(self, world, episodes, greedy):
        self.asked.append((world, episodes, greedy))
        return {"return": float(len(self.asked))}


def test_looks_end_when_steps_are_used_up():
    for every, taken in ((0, [3.0, 10.0, 19.0, 21.0]), (10, [10.0, 21.0])):
        seen = looks.Looks("sea", 7, steps=20, every=every, greedy=True)
        seen.set_model(_Model())
        for steps, ended in ((3.0, False), (10.0, False), (19.0, False), (21.0, True)):
            seen.on_epoch_end(0, {"world_steps": steps})
            assert seen.model.stop_training == ended
        assert [tuple(look.values()) for look in seen.found] == [
            (steps, 1.0 + place) for place, steps in enumerate(taken)]
        assert set(seen.model.asked) == {("sea", 7, True)}


def test_curves_are_read_from_numbered_scores():
    found = [{"steps": 5 * place, "return": place / 2, "length": 9}
             for place in range(1, 13)]
    scores = {"return_end": 6.0, "steps_to_goal": 60, "return_mean": 0.0,
              **looks.numbered(found, "steps", "return")}
    assert "length_1" not in scores
    rows = [{"label": "direct", "scores": [scores, scores]}]
    [(label, runs)] = looks.curves(rows, "return")["lines"].items()
    assert label == "direct" and len(runs) == 2
    for steps, returns in runs:
        np.testing.assert_array_equal(steps, 5 * np.arange(1, 13))
        np.testing.assert_array_equal(returns, np.arange(1, 13) / 2)
