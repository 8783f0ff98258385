"""Base class of models whose draws are structures: connections in cells of a network.

    p(y | x) = mean over s of p(y | x, w, alpha_s),    alpha_s = structure s

A `Law` draws the structures. Its temperatures tau and beta can be schedules over steps
and over epochs, and predictions use their last values. See
`bdlzoo.layers.concrete_structure`.

Moving averages of BatchNorm are averages over structures. They fit the mean over many
structures, but no single one: `extract_network` measures them again.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import keras_internals, registry
from bdlzoo.families import plain_structure, point_estimate, weight_prior
from bdlzoo.families.prior_model import PriorModel
from bdlzoo.layers.concrete_structure import ConcreteStructure, Law, drawn_by, edges
from bdlzoo.surgery import conversion

_END = 2**30  # A step (or epoch) after the end of every schedule.


class StructureModel(PriorModel):
    """Averages a network over the structures of its cells.

    Args:
        network: Keras model with one `ConcreteStructure` and the cells that it
            connects, such as `CellCNN` and `CellMLP`.
        likelihood: Name, spec or `Likelihood` of the targets.
        tau: Temperature of the mixing weights: a float above 0, or a schedule (or
            its spec) over steps.
        beta: Scale of the Gumbel noise: a float in (0, 1], or a schedule (or its
            spec) over epochs, which are counted from 0.
        learn_structure: Bool, whether theta is learnt; otherwise structures come
            from the prior.
        draw_structure: Bool, whether structures are drawn; otherwise there is one,
            `softmax(theta / tau)`.
        **kwargs: Arguments of `PriorModel`: `prior_scale` (of the weights, not of
            the logits of the structure), `num_samples`, `num_train_samples`,
            `kl_weight`, `num_data`, `seed`.
    """

    def __init__(self, network, likelihood="categorical", *, tau=1.0, beta=0.5,
                 learn_structure=True, draw_structure=True, **kwargs):
        super().__init__(network, likelihood, **kwargs)
        self.tau = _checked("tau", tau, np.inf)
        self.beta = _checked("beta", beta, 1.0)
        self.learn_structure = learn_structure
        self.draw_structure = draw_structure

    def build(self, input_shape):
        found = self._structures()
        if len(found) != 1:
            raise ValueError(
                "Expected a network with one `ConcreteStructure` for all of its cells: "
                "use `bdlzoo.networks.CellCNN` or `CellMLP`. Received: network "
                f"{self.network.name} with {len(found)}")
        self.structure.trainable = self.learn_structure
        super().build(input_shape)

    def law(self, step=_END, epoch=_END):
        """The `Law` of structures at a step of an epoch; by default at the end."""
        return Law(_value(self.tau, step), _value(self.beta, epoch),
                   self.learn_structure, self.draw_structure)

    @property
    def draws_differ(self):
        return self.draw_structure

    def draw_parts(self, inputs, num_samples, key):
        alone = len(conversion.stochastic_layers(self.network)) == 1  # No dropout.
        with drawn_by(self.law()):
            if alone and not self.draw_structure:
                return point_estimate.draw_parts(self.network, inputs)
            part = super().draw_parts(inputs, num_samples, key)

        def lawful(first, count):
            with drawn_by(self.law()):
                return part(first, count)

        return lawful

    def prior_shares(self):
        return weight_prior.kept_shares(self.network)

    @property
    def structure(self):
        """The `ConcreteStructure` of the network."""
        return self._structures()[0]

    def edge_probabilities(self):
        """Probabilities of operations on each edge, `[E, K]`; rows sum to 1.

        An entry is the probability that the operation has the largest weight in a
        draw, `softmax(theta / beta)`; if nothing is drawn, its weight.
        """
        law = self.law()
        theta = np.asarray(self.structure.theta) * self.learn_structure
        return np.asarray(tf.nn.softmax(
            theta / (law.beta if self.draw_structure else law.tau)))

    def most_probable_structure(self):
        """Dictionary from edge `(i, j)` to the name of its most probable operation."""
        names, nodes = self.structure.operations, self.structure.num_nodes
        best = np.argmax(self.edge_probabilities(), axis=1)
        return {edge: names[place] for edge, place in zip(edges(nodes), best)}

    def findings(self):
        if not self.learn_structure:
            return {}
        return {"Most probable operations": {
            f"from node {first} to {last}": name
            for (first, last), name in self.most_probable_structure().items()}}

    def pictures(self, x):
        del x
        if not self.learn_structure:
            return {}
        learnt = {"probabilities": self.edge_probabilities(),
                  "operations": self.structure.operations}
        return {name: (name, learnt)
                for name in ("structure_graph", "structure_heat_map")}

    def extract_network(self, structure=None, x=None, batch_size=256):
        """Returns one structure as a plain Keras model, independent of this package.

        Args:
            structure: Dictionary from each edge to the name of an operation, or
                mixing weights `[E, K]`; `None` is the most probable structure.
            x: Inputs, as an array, on which the statistics of BatchNorm are measured
                again; `None` keeps the averages over structures.
            batch_size: Integer, rows of a batch in that measurement.

        Returns:
            Functional `keras.Model` with copies of the weights and raw outputs.
        """
        self.check_ready()
        if structure is None:
            structure = self.most_probable_structure()
        network = plain_structure.extract(self.network, structure)
        if x is not None:
            plain_structure.average_statistics(network, x, batch_size)
        return network

    def _structures(self):
        return [layer for layer in keras_internals.layers(self.network)
                if isinstance(layer, ConcreteStructure)]

    def get_config(self):
        return {**super().get_config(),
                "tau": keras.saving.serialize_keras_object(self.tau),
                "beta": keras.saving.serialize_keras_object(self.beta),
                "learn_structure": self.learn_structure,
                "draw_structure": self.draw_structure}

    @classmethod
    def from_config(cls, config):
        parts = {name: keras.saving.deserialize_keras_object(config[name])
                 for name in ("tau", "beta")}
        return super().from_config({**config, **parts})


def _checked(name, value, highest):
    """A number, or a schedule, whose ends are in (0, highest]."""
    value = registry.build(value, keras.optimizers.schedules)
    for step in (0, _END):
        end = float(_value(value, step))
        if not 0 < end <= highest:
            limits = "above 0" if highest == np.inf else f"in (0, {highest:g}]"
            raise ValueError(f"Expected a number {limits}, at the start and at the "
                             f"end of a schedule. Received: {name}={end:g}")
    return value


def _value(value, step):
    return tf.cast(value(step) if callable(value) else value, tf.float32)
