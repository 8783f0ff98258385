"""Curvature of an objective in some weights: its products, and its matrix.

    H = mean over rows of J_i' A_i J_i + Hessian of the penalty          Gauss-Newton
    H = Hessian of the objective                                         Hessian

J_i is the Jacobian of the outputs of row i, and A_i the Hessian of its loss in these
outputs. Gauss-Newton leaves out the curvature of the network; it has no negative
eigenvalue if the loss is convex, and it is the Hessian if the outputs are linear in the
weights. Many vectors are multiplied at once, batch by batch of rows. The matrix of a
dense layer at the end is built from products of features, class by class.
"""

import functools

import numpy as np
import tensorflow as tf

from bdlzoo.model.objective import LabelObjective
from bdlzoo.surgery import memory

KINDS = ("gauss_newton", "hessian")


class Curvature:
    """Multiplies by the curvature at fixed weights, plus a damping.

    Args:
        losses: `RowLosses`.
        kind: `"gauss_newton"` or `"hessian"`.
        damping: Float, added to the diagonal.
    """

    def __init__(self, losses, kind="gauss_newton", damping=0.0):
        if kind not in KINDS:
            raise ValueError(f"Expected one of {KINDS}. Received: curvature={kind!r}")
        self.losses = losses
        self.kind = kind
        self.damping = damping
        self.vector = losses.head.vector

    @property
    def size(self):
        return self.losses.head.size

    def product(self, vectors):
        """Products `[T, P]` of damped curvature and vectors `[T, P]`, in float64."""
        vectors = np.asarray(vectors, "float64")
        at_once = self.vectors_at_once()
        return np.concatenate([self._product(vectors[start:start + at_once])
                               for start in range(0, len(vectors), at_once)])

    def vectors_at_once(self):
        """Vectors whose products with a batch of rows fit the memory."""
        rows = min(self.losses.batch, self.losses.num_rows)
        need = 4 * rows * self.losses.row_bytes + 16 * self.size
        return int(np.clip(memory.BUDGET // need, 1, 128))

    def _product(self, vectors):
        count = self.losses.num_rows
        tangents = tf.constant(vectors, tf.float32)
        total = self.damping * vectors
        for first, last in self.losses.batches():
            total += self.of_rows(tangents, *self.losses.rows(first, last)
                                  ).numpy().astype("float64") * ((last - first) / count)
        return total + self._of_penalty(tangents).numpy()

    @functools.cached_property
    def of_rows(self):
        """Function of vectors `[T, P]` and rows: products with their mean curvature."""
        @tf.function(reduce_retracing=True)
        def products(vectors, hidden, y):
            return self.in_graph(vectors, hidden, y)

        return products

    def in_graph(self, vectors, hidden, y):
        """The same inside of a graph."""
        one = self._gauss_newton if self.kind == "gauss_newton" else self._hessian
        return tf.vectorized_map(lambda v: one(v, hidden, y), vectors, warn=False)

    def _gauss_newton(self, v, hidden, y):
        losses, at = self.losses, self.vector
        with tf.GradientTape() as tape:
            tape.watch(at)
            with tf.autodiff.ForwardAccumulator(at, v) as forward:
                draws = losses.draws(at, hidden)
        slope = forward.jvp(draws)  # [S, B, C]
        fixed = tf.stop_gradient(draws)
        with tf.autodiff.ForwardAccumulator(fixed, slope) as bend:
            with tf.GradientTape() as inner:
                inner.watch(fixed)
                value = tf.reduce_mean(losses.of_draws(fixed, y))
            gradient = inner.gradient(value, fixed)
        bent = bend.jvp(gradient, unconnected_gradients="zero")
        return tape.gradient(draws, at, output_gradients=bent)

    def _hessian(self, v, hidden, y):
        return _bend(lambda at: tf.reduce_mean(self.losses.losses(at, hidden, y)),
                     self.vector, v)

    @functools.cached_property
    def _of_penalty(self):
        @tf.function(reduce_retracing=True)
        def products(vectors):
            return self.of_penalty(vectors)

        return products

    def of_penalty(self, vectors):
        """Products `[T, P]` with the Hessian of the penalty, inside of a graph."""
        return tf.vectorized_map(
            lambda v: _bend(self.losses.penalty, self.vector, v), vectors, warn=False)

    def of_row(self, vector, row):
        """Product `[P]` of a vector and the curvature that leaves with one row.

        Args:
            vector: Array `[P]`.
            row: Integer, place of the training row.
        """
        tangent = tf.constant(vector, tf.float32)
        own = self.of_rows(tangent[None], *self.losses.rows(row, row + 1))[0]
        return (own + self._of_regulariser(tangent)).numpy().astype("float64")

    @functools.cached_property
    def _of_regulariser(self):
        return tf.function(lambda v: _bend(self.losses.regulariser, self.vector, v))

    def matrix(self, bar=None):
        """The damped matrix `[P, P]` in float64.

        Args:
            bar: `keras.utils.Progbar` that is moved to its end, or `None`.
        """
        if self.kind == "gauss_newton" and self._has_blocks():
            matrix = self._from_features(bar)
            matrix += self._penalty_matrix()
        else:
            matrix = self._columns(self.product, bar)
        matrix = (matrix + matrix.T) / 2.0
        matrix[np.diag_indices(self.size)] += self.damping
        return matrix

    def _has_blocks(self):
        losses = self.losses
        # The draws of a row add up in the loss of most models, but not in all.
        plain = "data_loss" not in _overridden(losses.model)
        return losses.head.dense is not None and plain and (
            losses.splits and len(losses.y.shape) <= 2)

    def _penalty_matrix(self):
        return self._columns(lambda eye: self._of_penalty(
            tf.constant(eye, tf.float32)).numpy().astype("float64"), None)

    def _columns(self, product, bar):
        size, at_once = self.size, self.vectors_at_once()
        result = np.empty([size, size])
        for start in range(0, size, at_once):
            rows = np.arange(start, min(start + at_once, size))
            eye = np.zeros([at_once, size], "float32")  # One shape: one trace.
            eye[np.arange(len(rows)), rows] = 1.0
            result[rows] = product(eye)[:len(rows)]
            _move(bar, rows[-1] + 1, size)
        if product == self.product:
            result[np.diag_indices(size)] -= self.damping
        return result

    def _from_features(self, bar):
        """Sum over rows of the features' outer product times A_i, class by class."""
        losses = self.losses
        outputs = losses.head.dense.units
        pairs = [(a, b) for a in range(outputs) for b in range(a + 1)]

        @tf.function(reduce_retracing=True)
        def parts(hidden, y):
            features = tf.stack(losses.each(
                lambda: tf.cast(losses.head.features(hidden), tf.float32)))
            draws = losses.draws(self.vector, hidden)
            bends = tf.vectorized_map(lambda v: _bend(
                lambda at: tf.reduce_sum(losses.of_draws(at, y)), draws,
                tf.broadcast_to(v, tf.shape(draws))), tf.eye(outputs))  # [C, S, B, C]
            return features, bends

        blocks = None
        for first, last in losses.batches():
            features, bends = (t.numpy() for t in parts(*losses.rows(first, last)))
            flat = features.reshape(-1, features.shape[-1])  # [S B, F]
            if losses.head.dense.use_bias:
                flat = np.concatenate([flat, np.ones_like(flat[:, :1])], axis=1)
            if blocks is None:
                blocks = np.zeros([len(pairs), flat.shape[1], flat.shape[1]], "float32")
            bends = bends.reshape(outputs, -1, outputs)  # [C, S B, C]
            for place, (a, b) in enumerate(pairs):
                blocks[place] += flat.T @ (bends[a, :, b:b + 1] * flat)
            _move(bar, last, losses.num_rows)
        width = flat.shape[1]
        matrix = np.zeros([width, outputs, width, outputs])
        for block, (a, b) in zip(blocks, pairs):
            matrix[:, a, :, b] = matrix[:, b, :, a] = block / losses.num_rows
        # The kernel is [F, C] and then the bias [C]: the order of the vector.
        return matrix.reshape(width * outputs, width * outputs)


def _bend(function, at, v):
    """Hessian of a scalar function at a point, times a vector."""
    with tf.autodiff.ForwardAccumulator(at, v) as forward:
        with tf.GradientTape() as tape:
            tape.watch(at)
            value = function(at)
        gradient = tape.gradient(value, at, unconnected_gradients="zero")
    return forward.jvp(gradient, unconnected_gradients="zero")


def _overridden(model):
    """Names of hooks of the objective that a method writes anew."""
    return {name for name in ("data_loss",)
            if getattr(type(model), name) is not getattr(LabelObjective, name)}


def _move(bar, done, total):
    if bar is not None:
        bar.update(int(done / total * bar.target))
