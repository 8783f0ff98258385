"""Products with the inverse of a curvature: exactly, by CG, or by LiSSA.

    exact    Cholesky factor of H, if there are at most 8,192 weights
    cg       conjugate gradients, all vectors side by side
    lissa    u <- g + u - H_batch u / scale,        H^-1 g = mean of u / scale

LiSSA needs ||H_batch|| < scale: the scale is twice the largest eigenvalue, found by
powers. The mean over the second half of its steps removes most of the noise of the
batches. It has not converged if eigenvalues are small against the scale; then the
residual ||H u - g|| / ||g||, which all solvers report, is large.

References: Martens, Deep Learning via Hessian-free Optimization, ICML 2010; Agarwal,
Bullins and Hazan, Second-Order Stochastic Optimization for Machine Learning in Linear
Time, JMLR 2017.
"""

import keras
import numpy as np
import tensorflow as tf
from absl import logging
from scipy import linalg

from bdlzoo.core import noise

SOLVERS = ("exact", "cg", "lissa")
LARGEST = 8192  # Weights of an exact factor: 512 MB.
_POWERS = 30
_FAR = 1e-2  # Residual from which a solution is told to be rough.


class InverseCurvature:
    """Solves systems of a curvature.

    Args:
        curvature: `Curvature`.
        solver: `"exact"`, `"cg"` or `"lissa"`.
        tolerance: Float, residual at which CG ends.
        max_steps: Integer, steps of CG or of LiSSA; `None` takes 200 and 5,000.
        batch_size: Integer, rows of a step of LiSSA.
        seed: Integer, seed of the batches of LiSSA.
        verbose: Integer, 1 shows a progress bar.
    """

    def __init__(self, curvature, solver="exact", tolerance=1e-5, max_steps=None,
                 batch_size=200, seed=0, verbose=0):
        if solver not in SOLVERS:
            raise ValueError(f"Expected one of {SOLVERS}. Received: solver={solver!r}")
        if solver == "exact" and curvature.size > LARGEST:
            raise ValueError(
                f"Expected at most {LARGEST} weights for the exact solver: choose "
                "fewer layers, or solver=\"cg\" or \"lissa\". Received: "
                f"{curvature.size} weights")
        self.curvature = curvature
        self.solver = solver
        self.tolerance = tolerance
        self.max_steps = max_steps or {"lissa": 5000}.get(solver, 200)
        self.batch_size = min(batch_size, curvature.losses.num_rows)
        self.seed = seed
        self.verbose = verbose
        self._factor = self._largest = self._recursion = None

    def solve(self, vectors):
        """Solutions `[T, P]` of `H u = g`, and residuals `[T]` relative to g.

        Args:
            vectors: Array `[T, P]`.
        """
        vectors = np.asarray(vectors, "float64")
        solutions = getattr(self, f"_{self.solver}")(vectors)
        sizes = np.maximum(np.linalg.norm(vectors, axis=1), np.finfo("float64").tiny)
        misses = np.linalg.norm(self._times(solutions) - vectors, axis=1) / sizes
        if misses.max(initial=0.0) > _FAR:
            logging.warning(
                "The solutions by %s are rough: the largest residual is %.2g of the "
                "gradient. Take more steps, or more damping.", self.solver,
                misses.max())
        return solutions, misses

    def _times(self, vectors):
        if self._factor is not None:
            return vectors @ self._matrix
        return self.curvature.product(vectors)

    def _exact(self, vectors):
        if self._factor is None:
            self._matrix = self.curvature.matrix(
                keras.utils.Progbar(100, verbose=self.verbose, unit_name="matrix"))
            try:
                self._factor = linalg.cho_factor(self._matrix, lower=True)
            except linalg.LinAlgError:
                least = float(linalg.eigvalsh(
                    self._matrix, subset_by_index=[0, 0])[0])
                raise ValueError(
                    "Expected a curvature without negative eigenvalues: set damping="
                    f"{self.curvature.damping - 1.1 * least:.3g} or more, or "
                    "curvature=\"gauss_newton\". Received: least eigenvalue "
                    f"{least:.3g} with damping={self.curvature.damping:.3g}") from None
        return linalg.cho_solve(self._factor, vectors.T).T

    def _cg(self, vectors):
        found, residual = np.zeros_like(vectors), vectors.copy()
        ahead = residual.copy()
        squares = np.sum(residual**2, axis=1)
        ends = self.tolerance**2 * squares
        bar = keras.utils.Progbar(self.max_steps, verbose=self.verbose,
                                  unit_name="step", stateful_metrics=["residual"])
        for step in range(self.max_steps):
            going = np.flatnonzero(squares > ends)
            if not len(going):
                break
            bends = self.curvature.product(ahead[going])
            lengths = np.sum(ahead[going] * bends, axis=1)
            if lengths.min() <= 0:
                raise ValueError(
                    "Expected a curvature without negative eigenvalues: set more "
                    "damping, or curvature=\"gauss_newton\". Received: a direction of "
                    f"negative curvature with damping={self.curvature.damping:.3g}")
            rate = (squares[going] / lengths)[:, None]
            found[going] += rate * ahead[going]
            residual[going] -= rate * bends
            new = np.sum(residual[going]**2, axis=1)
            ahead[going] = residual[going] + (new / squares[going])[:, None] * (
                ahead[going])
            squares[going] = new
            bar.update(step + 1, [("residual", float(np.sqrt(
                (squares * self.tolerance**2 / np.maximum(ends, 1e-300)).max())))])
        return found

    @property
    def largest(self):
        """Largest eigenvalue of the damped curvature, found by powers."""
        if self._largest is None:
            key = noise.key(self.seed, noise.DIAGNOSE)
            v = noise.normal([1, self.curvature.size], key).numpy().astype("float64")
            for _ in range(_POWERS):
                v /= np.linalg.norm(v)
                v = self.curvature.product(v)
            self._largest = float(np.linalg.norm(v))
        return self._largest

    def _lissa(self, vectors):
        scale = 2.0 * self.largest
        start = tf.constant(vectors, tf.float32)
        if self._recursion is None:
            self._recursion = tf.function(self._steps)
        parts = max(1, min(20, self.max_steps // 50))
        length = -(-self.max_steps // parts)
        total = np.zeros_like(vectors)
        bar = keras.utils.Progbar(parts, verbose=self.verbose, unit_name="part",
                                  stateful_metrics=["norm"])
        most = np.linalg.norm(vectors, axis=1).max() * scale / max(
            self.curvature.damping, 1e-6 * scale)
        now = start
        for part in range(parts):
            key = noise.key(self.seed, noise.DIAGNOSE, 1, part)
            now, mean = self._recursion(start, now, key, tf.constant(
                scale, tf.float32), tf.constant(length))
            if part >= parts // 2:
                total += mean.numpy() / (scale * (parts - parts // 2))
            size = float(tf.reduce_max(tf.norm(now, axis=1)))
            bar.update(part + 1, [("norm", size)])
            if not size <= most:
                raise ValueError(
                    "Expected a recursion that converges: use larger batches, or more "
                    "damping. Received: LiSSA diverged, to a norm of "
                    f"{size:.3g} after {(part + 1) * length} steps, with "
                    f"scale={scale:.3g}, batch_size={self.batch_size}")
        return total

    def _steps(self, start, now, key, scale, length):
        losses, curvature = self.curvature.losses, self.curvature
        total = tf.zeros_like(now)
        for step in tf.range(length):
            places = tf.cast(losses.num_rows * noise.uniform(
                [self.batch_size], noise.fold_in(key, step)), tf.int32)
            hidden, y = tf.nest.map_structure(
                lambda t: tf.gather(t, places), (losses.hidden, losses.y))
            bends = (curvature.in_graph(now, hidden, y) + curvature.of_penalty(now)
                     + curvature.damping * now)
            now = start + now - bends / scale
            total += now
        return now, total / tf.cast(length, now.dtype)
