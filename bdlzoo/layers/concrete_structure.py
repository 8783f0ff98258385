"""Random structure of cells: the weight of each operation on each edge.

    alpha = softmax((theta + beta g) / tau),    g ~ Gumbel(0, 1)         [E, K]
    kl    = sum over edges of log q(alpha) - log p(alpha)        at that draw

An edge (i, j) leads from node i to a later node j of a cell. It mixes K operations
with the weights of its row. All cells with these weights have the same structure, and
so has every row of the batch, in training too. The prior p has equal logits and
beta = 1.

A scope sets how a structure is drawn, since temperatures change from step to step and
the baselines leave out the noise or the logits.

    with concrete_structure.drawn_by(Law(tau=2.0, beta=0.9)):
        outputs = network(inputs, training=True)
"""

import contextlib
import math
import threading
import typing

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.layers import sharpened_concrete
from bdlzoo.layers.cell_operations import check_operations

_SCOPE = threading.local()  # Each replica is traced in its own thread.


class Law(typing.NamedTuple):
    """Settings of the distribution that structures are drawn from."""

    tau: float = 1.0
    beta: float = 1.0
    learnt: bool = True  # Logits theta; otherwise the equal logits of the prior.
    noisy: bool = True  # With Gumbel noise, inside of a draw scope.
    key: tf.Tensor | None = None  # Key of the noise; `None` is the key of the draw.


@contextlib.contextmanager
def drawn_by(law):
    """Sets the `Law` of the layers that are called (or traced) inside."""
    outer, _SCOPE.law = current_law(), law
    try:
        yield
    finally:
        _SCOPE.law = outer


def current_law():
    """The `Law` of the innermost scope."""
    return getattr(_SCOPE, "law", None) or Law()


def edges(num_nodes):
    """Pairs (i, j) of nodes, i before j, in the order of the rows of alpha."""
    return [(i, j) for j in range(1, num_nodes) for i in range(j)]


def num_nodes_of(num_edges, num_choices, operations):
    """Number of nodes of a cell, from the numbers of its edges and operations."""
    nodes = (1 + math.isqrt(1 + 8 * num_edges)) // 2
    fits = num_edges and len(edges(nodes)) == num_edges
    if not fits or num_choices != len(operations):
        raise ValueError(
            "Expected a row for each edge (1, 3, 6, 10, ... edges for 2, 3, 4, 5, ... "
            "nodes) and a column for each operation. Received: probabilities of shape "
            f"{(num_edges, num_choices)}, operations={tuple(operations)}")
    return nodes


@keras.saving.register_keras_serializable(package="bdlzoo")
class ConcreteStructure(keras.layers.Layer):
    """Gives the mixing weights that all cells of a network share.

    Args:
        num_nodes: Integer, number of nodes of a cell, at least 2.
        operations: Tuple of names of operations, the same as that of the cells.
        init_scale: Float, standard deviation of the logits at the start.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Call arguments:
        inputs: Any tensor of the network; its values are not used.

    Returns:
        Tensor `[E, K]` with rows that sum to 1: a draw inside of a draw scope, and
        `softmax(theta / tau)` outside.

    Example:

        structure = ConcreteStructure(3, ("zero", "identity", "dense_relu"))(inputs)
        x = Cell(3, 16, ("zero", "identity", "dense_relu"))([inputs, structure])
    """

    stochastic = True

    def __init__(self, num_nodes, operations, init_scale=1e-3, **kwargs):
        super().__init__(**kwargs)
        self.num_nodes = check_nodes(num_nodes)
        self.operations = check_operations(operations)
        self.init_scale = init_scale

    def build(self, input_shape):
        del input_shape
        # In half precision small steps of the logits would be lost.
        self.theta = self.add_weight(
            name="theta", shape=self.compute_output_shape(None), dtype="float32",
            initializer=keras.initializers.RandomNormal(stddev=self.init_scale),
            autocast=False)

    def call(self, inputs):
        del inputs
        return tf.nn.softmax(self._logits())

    def kl(self):
        """Log density of posterior minus prior at the draw of the scope, in nats.

        It may be negative; its mean over draws is the KL divergence. It is 0 if
        nothing is drawn.
        """
        law, draw = current_law(), noise.current()
        if not law.noisy:
            return tf.zeros(())
        if draw is None:
            raise ValueError(
                "Expected a draw scope, because the divergence of Concrete "
                "distributions is estimated at a draw. Received: no scope")
        v = self._logits()
        return tf.reduce_sum(
            sharpened_concrete.log_density(v, *self._parameters(law))
            - sharpened_concrete.log_density(v, tf.zeros_like(v), law.tau, 1.0))

    def _logits(self):
        """Unnormalised logits v, the same at every call in one scope."""
        law, draw = current_law(), noise.current()
        theta, tau, beta = self._parameters(law)
        if draw is None or not law.noisy:
            return theta / tau
        if law.key is not None:
            draw = draw._replace(key=law.key)
        return sharpened_concrete.draw(theta, tau, beta, draw.key_of(self))

    def _parameters(self, law):
        """theta, tau and beta of a law; those of the prior if not learnt."""
        theta = tf.convert_to_tensor(self.theta)
        if law.learnt:
            return theta, law.tau, law.beta
        return tf.zeros_like(theta), law.tau, 1.0

    def compute_output_shape(self, input_shape):
        del input_shape
        return len(edges(self.num_nodes)), len(self.operations)

    def get_config(self):
        return {**super().get_config(), "num_nodes": self.num_nodes,
                "operations": self.operations, "init_scale": self.init_scale}


def check_nodes(num_nodes):
    """Returns the number of nodes, or raises if there are fewer than 2."""
    if not isinstance(num_nodes, int) or num_nodes < 2:
        raise ValueError("Expected at least 2 nodes, so that there is an edge. "
                         f"Received: num_nodes={num_nodes!r}")
    return num_nodes
