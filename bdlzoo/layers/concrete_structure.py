"""The random wiring of cells: which operation each edge is, and how much.

    alpha = softmax((theta + beta g) / tau),    g ~ Gumbel(0, 1)         [E, K]
    kl    = sum over edges of log q(alpha) - log p(alpha)        at that draw

An edge (i, j) leads from node i to a later node j of a cell and mixes K operations
with the weights of its row. All cells that are given these weights have the same
structure, and so has every row of the batch, in training too. The prior p has equal
logits and beta = 1.

How a structure is drawn is said from outside, by a scope: temperatures change
from step to step, and the baselines leave out the noise or the logits.

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

_SCOPE = threading.local()  # Each replica is traced in a thread of its own.


class Law(typing.NamedTuple):
    """How structures are drawn."""

    tau: float = 1.0
    beta: float = 1.0
    learnt: bool = True  # By theta; otherwise by the equal logits of the prior.
    noisy: bool = True  # With Gumbel noise, where a draw scope is open.
    key: tf.Tensor | None = None  # Of the structure; `None` is that of the draw.


@contextlib.contextmanager
def drawn_by(law):
    """Says how structures are drawn by the layers called (or traced) inside."""
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
    """Nodes of a cell with so many edges, each one of so many operations."""
    nodes = (1 + math.isqrt(1 + 8 * num_edges)) // 2
    fits = num_edges and len(edges(nodes)) == num_edges
    if not fits or num_choices != len(operations):
        raise ValueError(
            "Expected a row for each edge between nodes, 1, 3, 6, 10, ... of them, and "
            "a column for each operation. Received: probabilities of shape "
            f"{(num_edges, num_choices)}, operations={tuple(operations)}")
    return nodes


@keras.saving.register_keras_serializable(package="bdlzoo")
class ConcreteStructure(keras.layers.Layer):
    """Gives the mixing weights that all cells of a network share.

    Args:
        num_nodes: Integer, nodes of a cell, at least 2.
        operations: Tuple of names, see `bdlzoo.layers.cell_operations`.
        init_scale: Float, standard deviation of the logits at the start.
        **kwargs: See `keras.layers.Layer`.

    Call arguments:
        inputs: Any tensor of the network, which only gives the layer its place.

    Returns:
        Tensor `[E, K]`, rows that sum to 1; in a draw scope a draw, and
        `softmax(theta / tau)` outside of one.

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
        # Half precision would lose most of a logit's step.
        self.theta = self.add_weight(
            name="theta", shape=self.compute_output_shape(None), dtype="float32",
            initializer=keras.initializers.RandomNormal(stddev=self.init_scale),
            autocast=False)

    def call(self, inputs):
        del inputs
        return tf.nn.softmax(self._logits())

    def kl(self):
        """Nats from prior to posterior at the draw of the scope, once.

        A number of either sign, whose mean over draws is the divergence; 0
        where nothing is drawn.
        """
        law, draw = current_law(), noise.current()
        if not law.noisy:
            return tf.zeros(())
        if draw is None:
            raise ValueError(
                "Expected a draw scope: the divergence of Concrete distributions is "
                "known at a draw only. Received: none")
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
        """theta, tau and beta of a law; those of the prior where not learnt."""
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
    """Returns a number of nodes between which there is an edge."""
    if not isinstance(num_nodes, int) or num_nodes < 2:
        raise ValueError("Expected at least 2 nodes: there is no edge with fewer. "
                         f"Received: num_nodes={num_nodes!r}")
    return num_nodes
