"""Predicted influence against retraining without a row.

    actual[r, t] = f_t(argmin of the objective without row r) - f_t(w)

The chosen weights are trained again to the minimum, from where they are: by steps of
Newton whose gradients are exact, so that the curvature only decides how fast it is, and
before them by L-BFGS if the outputs are not linear in the weights.
"""

import typing

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core.batches import num_rows
from bdlzoo.evaluation.refitting import minimum


class LeaveOneOut(typing.NamedTuple):
    """Changes of test quantities by leaving rows out.

    Args:
        predicted: Array `[R, T]`, by influence functions.
        actual: Array `[R, T]`, by retraining.
        gradient: Float, largest norm of a gradient after retraining, relative to that
            of the row that was left out.
    """

    predicted: np.ndarray
    actual: np.ndarray
    gradient: float

    @property
    def correlation(self):
        """Pearson's correlation over rows, the mean over test rows."""
        return float(np.mean([np.corrcoef(p, a)[0, 1] for p, a in zip(
            self.predicted.T, self.actual.T)]))


_STEPS = 300  # Of L-BFGS, where steps of Newton could be too long.


def leave_one_out(found, test, rows, verbose=0):
    """Retrains without each of some rows.

    Args:
        found: `Influence`, with all training rows.
        test: The pair of inputs and targets that it was made with.
        rows: Integers, the training rows to leave out, one at a time.
        verbose: Integer, 1 shows a progress bar.

    Returns:
        `LeaveOneOut`.
    """
    losses, start = found.losses, found.vector.numpy().astype("float64")
    x, y = test
    hidden, y = losses.prepare(x), tf.convert_to_tensor(y)
    if num_rows(x) != found.removal.shape[1]:
        raise ValueError("Expected the test rows of the influence. Received: "
                         f"{num_rows(x)} rows, and {found.removal.shape[1]} before")
    scores = tf.function(lambda vector: losses.scores(vector, hidden, y, found.of))

    def at(vector):
        return scores(tf.constant(vector, tf.float32)).numpy().astype("float64")

    linear = losses.head.dense is not None
    options = dict(max_steps=0 if linear else _STEPS,
                   inverse=found.inverse if linear else None)
    # The same end of training for all, so that its remainder cancels.
    start = minimum(losses, start, **options)
    before, actual, worst = at(start), [], 0.0
    bar = keras.utils.Progbar(len(rows), verbose=verbose, unit_name="row")
    for row in rows:
        vector = minimum(losses, start, [row], **options)
        actual.append(at(vector) - before)
        bar.add(1)
        first, last = (np.linalg.norm(losses.objective(v, [row])[1])
                       for v in (start, vector))
        worst = max(worst, float(last / first))
    share = losses.num_data / losses.num_rows
    return LeaveOneOut(share * found.removal[rows], np.array(actual), worst)
