"""Influence of training rows on predictions, on losses and on uncertainties.

    removal[i, t]    = 1 / num_data grad f_t' H^-1 grad loss_i
    I_up[i, t]       = - grad f_t' H^-1 grad loss_i = - num_data removal[i, t]
    I_pert[i, t]     = - grad f_t' H^-1 grad_x grad loss_i
    self_influence_i = 1 / num_data grad loss_i' H^-1 grad loss_i

`f_t` is a quantity of test row t: its loss, or the mutual information of its draws, or
any other. `removal` is how much it grows, to first order, if row i is left out of the
training: a row with a positive number helped. `H` is the curvature of the objective.
The loss of a row has the regularisers of Keras in it, and that of a test row has not.

Reference: Koh and Liang, Understanding Black-box Predictions via Influence Functions,
ICML 2017.
"""

import keras
import numpy as np
import tensorflow as tf
from absl import logging

from bdlzoo.core import noise
from bdlzoo.core.batches import num_rows, take
from bdlzoo.evaluation.curvature import Curvature
from bdlzoo.evaluation.inverse_curvature import InverseCurvature
from bdlzoo.evaluation.row_losses import RowLosses

_SHARE = 1e-2  # Of the mean curvature: the damping where nothing else bounds it.
_PROBES = 8


class Influence:
    """Influence of training rows on the quantities of test rows.

    Made by `influence`. `N` is the number of training rows, `T` of test rows, `P` of
    weights.

    Args:
        losses: `RowLosses` of the model and its training rows.
        inverse: `InverseCurvature`, the solver at the weights of the model.
        test: Pair of inputs and targets, or `None`.
        of: Name of the quantity of a test row, or a function of its prediction.
        gradient_norm: Float, norm of the gradient of the objective, divided by the
            root of the mean square over rows.
        verbose: Integer, 1 shows progress bars.
    """

    def __init__(self, losses, inverse, test=None, of="loss", gradient_norm=None,
                 verbose=0):
        self.losses = losses
        self.inverse = inverse
        self.of = of
        self.gradient_norm = gradient_norm
        self.verbose = verbose
        self.vector = inverse.curvature.vector
        self._slope = losses.regulariser_slope(self.vector)
        self.test_gradients = self.directions = self.removal = None
        self.residuals = np.zeros(0)
        if test is not None:
            self.test_gradients = test_gradients(losses, *test, of)
            self.directions, self.residuals = inverse.solve(self.test_gradients)
            self.removal = self.on(self.directions)  # [N, T]

    @property
    def damping(self):
        """Number that was added to the diagonal of the curvature."""
        return self.inverse.curvature.damping

    @property
    def upweight(self):
        """Change of the quantities by the weight of a row, `[N, T]`: I_up."""
        return -self.losses.num_data * self.removal

    def group(self, rows):
        """Change `[T]` of the quantities if several rows are left out, to first order.

        Args:
            rows: Integers, or booleans `[N]`.
        """
        return self.removal[rows].sum(axis=0)

    def left_out(self, rows, tolerance=1e-3, max_steps=50):
        """Change `[R, T]` of the quantities if a row goes, and its curvature with it.

            u = (H - H_i / num_data)^-1 grad loss_i,     change = grad f_t' u / num_data

        `removal` keeps the curvature of all rows, and so it is too small for a row that
        holds the weights by itself, one with a high self-influence. This is a whole
        step of Newton. It takes more time: u <- H^-1 (grad loss_i + H_i u / num_data)
        is repeated.

        Args:
            rows: Integers `[R]`.
            tolerance: Float, relative change of u at which it ends.
            max_steps: Integer, the most repetitions.
        """
        curvature, count = self.inverse.curvature, self.losses.num_data
        gradients = np.concatenate([self._row_gradients(row, row + 1) for row in rows])
        found, _ = self.inverse.solve(gradients)
        for _ in range(max_steps):
            held = np.stack([curvature.of_row(u, row) for u, row in zip(found, rows)])
            before, (found, _) = found, self.inverse.solve(gradients + held / count)
            if np.linalg.norm(found - before) <= tolerance * np.linalg.norm(found):
                break
        else:
            logging.warning("The effects of leaving rows out have not settled in %d "
                            "steps: a row holds the weights nearly alone.", max_steps)
        return found @ self.test_gradients.T / count

    def ranked(self, test_row, count=10, helpful=True):
        """Training rows that speak most for, or against, the answer to a test row.

        Args:
            test_row: Integer, place of the test row.
            count: Integer, number of training rows.
            helpful: Bool, whether to list rows whose removal raises the quantity, and
                not those whose removal lowers it.

        Returns:
            Integers `[count]`, the strongest first.
        """
        order = np.argsort(self.removal[:, test_row], kind="stable")
        return (order[::-1] if helpful else order)[:count]

    def self_influence(self):
        """Effect of leaving a row out on its own loss, `[N]`: high for odd rows."""
        result = []
        bar = self._bar("self-influence")
        for first, last in self.losses.batches():
            gradients = self._row_gradients(first, last)
            found, _ = self.inverse.solve(gradients)
            result.append(np.sum(gradients * found, axis=1) / self.losses.num_data)
            bar.update(last)
        return np.concatenate(result)

    def perturbation(self, x, y, test_row, allow_kinks=False):
        """Effect of a change of the pixels of training rows, `[R, ...]`: I_pert.

        The quantity of the test row changes by about the product of this and a small
        change of the input, divided by `num_data`.

        Args:
            x: Inputs `[R, ...]` of some training rows.
            y: Targets of them.
            test_row: Integer, place of the test row.
            allow_kinks: Bool, whether layers such as ReLU may stand above the weights.
        """
        kinks = self.losses.head.kinks
        if kinks and not allow_kinks:
            raise ValueError(
                "Expected smooth layers from the chosen weights on, since the effect "
                "of a pixel needs their second derivative, which ReLU does not have: "
                "use softplus, choose layers=\"last\", or say allow_kinks=True. "
                f"Received: {', '.join(kinks[:3])}")
        return self.pushes(x, y, self.directions[test_row])

    def on(self, directions):
        """Products `[N, T]` of the gradients of rows and directions `[T, P]`, / n."""
        gradient = self._gradient_function()
        directions = tf.constant(directions, tf.float32)
        bar, result = self._bar("rows"), []
        for first, last in self.losses.batches(self._rows_at_once()):
            result.append(tf.matmul(gradient(*self.losses.rows(first, last)),
                                    directions, transpose_b=True).numpy())
            bar.update(last)
        common = self._slope @ directions.numpy().T  # [T]: of the regularisers.
        return (np.concatenate(result) + common) / self.losses.num_data

    def _row_gradients(self, first, last):
        gradients = self._gradient_function()(*self.losses.rows(first, last))
        return gradients.numpy().astype("float64") + self._slope

    def _gradient_function(self):
        if not hasattr(self, "_of_rows"):
            losses = self.losses
            self._of_rows = tf.function(lambda hidden, y: losses.gradients(
                self.vector, hidden, y, losses.losses), reduce_retracing=True)
        return self._of_rows

    def _rows_at_once(self):
        return max(1, 2**26 // self.losses.head.size)

    def pushes(self, x, y, direction, vector=None):
        """The same for any direction `[P]`, at these weights or at others.

        Args:
            x: Inputs `[R, ...]`.
            y: Targets of them.
            direction: Array `[P]`, the inverse curvature times a gradient.
            vector: Weights `[P]`; `None` for those of the model.
        """
        losses = self.losses
        x, at = tf.convert_to_tensor(x, tf.float32), (
            self.vector if vector is None else tf.constant(vector, tf.float32))
        with tf.GradientTape() as outer:
            outer.watch(x)
            hidden = losses.head.begin(x) if losses.splits else x
            with tf.autodiff.ForwardAccumulator(
                    at, tf.constant(direction, tf.float32)) as forward:
                values = losses.losses(at, hidden, tf.convert_to_tensor(y))
            total = tf.reduce_sum(forward.jvp(values))  # grad loss' H^-1 grad f.
        return -outer.gradient(total, x).numpy()

    def _bar(self, name):
        return keras.utils.Progbar(self.losses.num_rows, verbose=self.verbose,
                                   unit_name=name)


def influence(model, train, test=None, layers="last", solver="exact", of="loss",
              curvature="gauss_newton", damping=None, num_samples=16, seed=0,
              likelihood=None, max_gradient=0.1, verbose=0, **options):
    """Computes the influence of training rows on test rows, without retraining.

    Args:
        model: Trained Keras model, or model of the zoo that predicts labels.
        train: Pair of inputs and targets, those of the training or a part of them.
        test: Pair of inputs and targets whose quantities are asked for; `None` for
            self-influence alone.
        layers: `"last"` for the weights of the last layer, `"all"`, or an integer for
            the last so many layers.
        solver: `"exact"`, `"cg"` or `"lissa"`.
        of: Quantity of a test row: `"loss"`, an uncertainty such as
            `"mutual_information"`, `"predictive_entropy"` or `"variance"`, or a
            function of a prediction that returns numbers `[B]`.
        curvature: `"gauss_newton"` or `"hessian"`.
        damping: Float, added to the diagonal of the curvature; `None` takes 0 if the
            objective has a regulariser or a prior, and else a hundredth of the mean
            of the diagonal. The result says it.
        num_samples: Integer, draws of a model with noise.
        seed: Integer, seed of the draws.
        likelihood: What the outputs of a plain Keras model mean, such as
            `"categorical"`; `None` finds out.
        max_gradient: Float, the largest gradient of the objective, relative to that
            of a row, at which a model counts as trained; `None` takes any.
        verbose: Integer, 1 shows progress bars.
        **options: Arguments of `InverseCurvature`: `tolerance`, `max_steps` and
            `batch_size`.

    Returns:
        `Influence`.

    Example:

        bdlzoo.evaluation.refit(model, (x, y))  # To the minimum of its last layer.
        found = influence(model, (x, y), (x_test, y_test), of="mutual_information")
        found.ranked(test_row=0, count=5)
    """
    losses = RowLosses(model, train, layers, num_samples, seed, likelihood)
    bend = Curvature(losses, curvature)
    inverse = InverseCurvature(bend, solver, seed=seed, verbose=verbose, **options)
    norm = gradient_norm(losses, bend.vector)
    if max_gradient is not None and not norm <= max_gradient:
        raise ValueError(
            "Expected a model at a minimum of its training objective: train longer, "
            "call `bdlzoo.evaluation.refit(model, train, layers=...)`, or raise "
            "`max_gradient`. Received: a gradient norm of "
            f"{norm:.3g} times that of a row, with max_gradient={max_gradient}")
    bend.damping = float(_default_damping(bend, seed) if damping is None else damping)
    logging.info("Influence by %s: %d weights, damping %.3g, gradient norm %.2g.",
                 solver, bend.size, bend.damping, norm)
    return Influence(losses, inverse, test, of, norm, verbose)


def test_gradients(losses, x, y, of="loss"):
    """Gradients `[T, P]` of a quantity of each test row.

    Args:
        losses: `RowLosses`.
        x: Inputs `[T, ...]`.
        y: Targets, which are used for the loss alone.
        of: Name of the quantity, or a function of the prediction.
    """
    at = losses.head.vector
    gradient = tf.function(lambda hidden, y: losses.gradients(
        at, hidden, y, lambda *row: losses.scores(*row, of=of)), reduce_retracing=True)
    y, size = np.asarray(y), max(1, min(losses.batch, 2**26 // losses.head.size))
    return np.concatenate([
        gradient(losses.prepare(take(x, slice(start, start + size))),
                 tf.convert_to_tensor(y[start:start + size]))
        for start in range(0, num_rows(x), size)]).astype("float64")


test_gradients.__test__ = False  # Not a test of pytest.


def gradient_norm(losses, vector):
    """Norm of the objective's gradient by the root mean square of that of rows."""
    _, gradient = losses.objective(vector)
    few = np.unique(np.linspace(0, losses.num_rows - 1, 200).astype(int))
    hidden, y = tf.nest.map_structure(
        lambda t: tf.gather(t, few), (losses.hidden, losses.y))
    rows = tf.function(lambda hidden, y: losses.gradients(
        vector, hidden, y, losses.losses))(hidden, y).numpy()
    size = np.sqrt(np.mean(np.sum(rows.astype("float64")**2, axis=1)))
    return float(np.linalg.norm(gradient) / max(size, np.finfo("float32").tiny))


def _default_damping(bend, seed):
    signs = noise.signs([_PROBES, bend.size], noise.key(seed, noise.DIAGNOSE)).numpy()
    bound = bend.of_penalty(tf.constant(signs)).numpy()
    if np.abs(bound).min() > 0:  # Every weight is held by something.
        return 0.0
    trace = np.mean(np.sum(signs * bend.product(signs), axis=1))
    return _SHARE * max(trace, 0.0) / bend.size
