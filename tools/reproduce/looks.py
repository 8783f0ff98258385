"""Looks at an agent while it learns: test episodes after each epoch, and their curves.

    scores: steps_1, return_1, steps_2, return_2, ...       one pair for each look
"""

import keras


class Looks(keras.callbacks.Callback):
    """Plays test episodes after each epoch, and ends when steps are used up.

    Args:
        world: `World`.
        episodes: Integer, episodes of a look.
        steps: Float, steps of the world after which the training ends.
        every: Float, steps of the world from one look to the next, at least.
        greedy: Bool, whether the best actions are taken in them.
    """

    def __init__(self, world, episodes, steps=float("inf"), every=0.0, greedy=False):
        super().__init__()
        self.world, self.episodes, self.steps = world, episodes, steps
        self.every, self.greedy = every, greedy
        self.found = []  # Dictionary of scores for each look.

    def on_epoch_end(self, epoch, logs=None):
        taken = logs["world_steps"]
        last = self.found[-1]["steps"] if self.found else 0.0
        if taken >= min(last + self.every, self.steps):
            scores = self.model.evaluate(self.world, self.episodes, greedy=self.greedy)
            self.found.append({"steps": taken, **scores})
        if taken >= self.steps:
            self.model.stop_training = True


def numbered(looks, *names):
    """Scores of looks by name and number, from 1 on.

    Args:
        looks: List of dictionaries of scores.
        *names: Names of the scores to take.
    """
    return {f"{name}_{number}": look[name]
            for number, look in enumerate(looks, start=1) for name in names}


def curves(rows, metric):
    """Arguments of `bdlzoo.reports.return_curves` from rows of a table.

    Args:
        rows: Rows of the results.
        metric: Name of the score of a look.
    """
    def line(scores):
        looks = sorted(int(number) for name, _, number in (
            key.rpartition("_") for key in scores) if name == metric
            and number.isdigit())
        return tuple([scores[f"{name}_{look}"] for look in looks]
                     for name in ("steps", metric))

    return {"lines": {row["label"]: [line(scores) for scores in row["scores"]]
                      for row in rows}}
