"""Training of some weights to the minimum of their objective, with fixed noise.

    w = argmin of mean over rows of loss_i(w) + regulariser(w) + prior(w)

L-BFGS on all rows, then steps of Newton by conjugate gradients, which need gradients
alone and so end where float32 ends. Influence functions describe a minimum: networks
trained by stochastic steps are only near to one.
"""

import numpy as np
import tensorflow as tf
from scipy import optimize

from bdlzoo.evaluation.curvature import Curvature
from bdlzoo.evaluation.influence_functions import gradient_norm
from bdlzoo.evaluation.inverse_curvature import InverseCurvature
from bdlzoo.evaluation.row_losses import RowLosses

_NEWTON = 8  # Steps at the end, at most.
_TINY = 1e-5  # Damping of these steps, of the largest eigenvalue.


def refit(model, train, layers="last", num_samples=16, seed=0, likelihood=None,
          max_steps=500):
    """Trains the weights of some layers to the minimum, in place.

    Args:
        model: Keras model, or model of the zoo that predicts labels.
        train: Pair of inputs and targets.
        layers: `"last"`, `"all"`, or an integer for the last so many layers.
        num_samples: Integer, draws of a model with noise.
        seed: Integer, seed of the draws; take the same in `influence`.
        likelihood: What the outputs of a plain Keras model mean; `None` finds out.
        max_steps: Integer, steps of L-BFGS.

    Returns:
        Float, norm of the gradient at the end, relative to that of a row.

    Example:

        bdlzoo.evaluation.refit(model, (x, y))
    """
    losses = RowLosses(model, train, layers, num_samples, seed, likelihood)
    vector = minimum(losses, losses.head.vector.numpy(), max_steps=max_steps)
    losses.head.assign(vector.astype("float32"))
    if losses.model is not model:  # A softmax at the end was removed, in a copy.
        for mine, other in zip(model.weights, losses.model.network.weights,
                               strict=True):
            mine.assign(other)
    return gradient_norm(losses, losses.head.vector)


def minimum(losses, start, left_out=(), max_steps=500, inverse=None):
    """Weights `[P]` at the minimum of an objective, in float64.

    Args:
        losses: `RowLosses`.
        start: Weights `[P]` to begin with.
        left_out: Rows that are not trained on.
        max_steps: Integer, steps of L-BFGS.
        inverse: `InverseCurvature` near the minimum, for the last steps; `None` makes
            one after L-BFGS.
    """
    vector = np.asarray(start, "float64")
    if max_steps:
        vector = optimize.minimize(
            lambda w: losses.objective(w, left_out), vector, jac=True,
            method="L-BFGS-B", options=dict(maxiter=max_steps, maxfun=2 * max_steps,
                                            gtol=1e-7, ftol=1e-12)).x
    if inverse is None:
        inverse = InverseCurvature(Curvature(losses), "cg", tolerance=1e-3)
        inverse.curvature.vector = tf.constant(vector, tf.float32)
        inverse.curvature.damping = _TINY * inverse.largest
    slope = losses.objective(vector, left_out)[1]
    for _ in range(_NEWTON):
        moved = vector - inverse.solve(slope[None])[0][0]
        new = losses.objective(moved, left_out)[1]
        if not np.linalg.norm(new) < 0.9 * np.linalg.norm(slope):
            break
        vector, slope = moved, new
    return vector
