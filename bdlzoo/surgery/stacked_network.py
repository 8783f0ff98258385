"""Copies of a network in one computation.

    outputs[m] = network(inputs[m]; weights[m])

`bdlzoo.core.stacking` stacks single layers. A functional or Sequential network is
stacked layer by layer; a subclassed network, whose calls are hidden, runs as a whole,
once for each copy. What might mix the rows of a batch, such as an operation or a custom
layer, and what carries a mask of Keras, runs once for each copy too.
"""

import functools

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals, noise, stacking
from bdlzoo.surgery import calls, cloning, input_form, output_shape, replacement

_serialize = keras.saving.serialize_keras_object
_deserialize = keras.saving.deserialize_keras_object
# Operations on symbolic tensors that work on each number of a batch by itself.
_BY_NUMBER = ("Absolute", "Add", "Cast", "Divide", "Exp", "Gelu", "LeakyRelu",
              "Maximum", "Minimum", "Multiply", "Negative", "Relu", "Sigmoid", "Silu",
              "Subtract", "Tanh")


@keras.saving.register_keras_serializable(package="bdlzoo")
class StackedNetwork(keras.Model):
    """Copies of a network, each with its own initial weights.

    Args:
        plain: Keras model, the architecture of the copies. Its own weights are not
            copied.
        copies: Integer, number of copies.
        seed: Integer, seed of the initial weights.
        **kwargs: Arguments of `keras.Model`, such as `name`.
    """

    def __init__(self, plain, copies, seed=0, **kwargs):
        super().__init__(**kwargs)
        if copies < 1:
            raise ValueError("Expected at least one copy. Received: "
                             f"copies={copies}")
        self._plan = _Plan(plain)
        self.copies = copies
        self.seed = seed

    @property
    def plain(self):
        """The network of one copy. Keras does not track it: it has other weights."""
        return self._plan.plain

    def build(self, input_shape):
        """Makes the copies.

        Args:
            input_shape: Shape of inputs `(1, None, ...)`, or a structure of them.
        """
        input_shape = keras.tree.map_shape_structure(
            lambda shape: shape[1:], input_shape)
        output_shape.of(self.plain, input_shape)
        with tf.init_scope():  # Weights are created outside of graphs.
            self._plan.make(
                self.copies, noise.key(self.seed, noise.INITIAL),
                lambda other: _build_like(self.plain, other, input_shape))
        self.stacks = [stack for _, stack in self._plan.pairs()]
        self.tables = self._plan.tables()

    def call(self, inputs, training=False):
        """Runs all copies.

        Args:
            inputs: Tensors `[M, B, ...]`, or `[1, B, ...]` for the same rows.
            training: Bool.

        Returns:
            Outputs `[M, B, ...]`.
        """
        return self._plan.run(inputs, training)

    def get_copy(self, copy):
        """Returns one copy as a plain Keras model."""
        values = {id(w): value for layer, stack in self._plan.pairs()
                  for w, value in zip(layer.weights, stack.get_copy(copy))}
        network = twin(self.plain)
        network.set_weights([values[id(w)] for w in self.plain.weights])
        # Layers that were adapted to data compute with what follows from weights.
        for layer in keras_internals.layers(network):
            if hasattr(layer, "finalize_state"):
                layer.finalize_state()
        return network

    def set_copy(self, copy, network):
        """Sets the weights of one copy to those of a model of its architecture."""
        values = {id(w): value for w, value in zip(
            self.plain.weights, network.get_weights(), strict=True)}
        for layer, stack in self._plan.pairs():
            stack.set_copy(copy, [values[id(w)] for w in layer.weights])

    def parts(self):
        """Weights of all copies, `[M, ...]`, in the order of the plain network's."""
        part_of = {id(weight): part for layer, stack in self._plan.pairs()
                   for weight, part in zip(layer.weights, stack.parts)}
        return [part_of[id(weight)] for weight in self.plain.weights]

    def plain_weights(self):
        """Weights of the plain network, in the order of the trainable stacks."""
        plain_of = {id(part): weight for layer, stack in self._plan.pairs()
                    for weight, part in zip(layer.weights, stack.parts)}
        return [plain_of[id(part)] for part in self.trainable_variables]

    def get_config(self):
        return {**super().get_config(), "plain": _serialize(self.plain),
                "copies": self.copies, "seed": self.seed}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "plain": _deserialize(config["plain"])})


def twin(network):
    """A copy of a network, with its weights, statistics and tables."""
    if keras_internals.graph(network) is not None:
        return replacement.copy(network)
    other = cloning.clone(network)
    _build_like(network, other, network.get_build_config()["input_shape"])
    cloning.copy_state(network, other)
    return other


def _build_like(network, other, input_shape):
    """Builds a subclassed network by a call, on inputs of the types of its copy."""
    input_form.hand_on(network, other)
    output_shape.of(other, input_shape)


class _Plan:
    """The calls of a plain network, and the stacks that replace its layers.

    Not a layer, so that Keras does not track the plain network.
    """

    def __init__(self, plain):
        self.plain = plain

    def make(self, copies, key, build):
        self.functional = keras_internals.graph(self.plain)
        if self.functional is None:
            builders = {id(self.plain): (self.plain, build)}
        else:
            self.sources, self.calls, self.results = calls.walk(
                self.functional, unfold=True)
            builders = {}
            for call in self.calls:
                builders.setdefault(id(call.layer), (call.layer, call.build))
        self.copies = copies
        self.stacks = {id(layer): (layer, stacking.stack(
            layer, copies, noise.fold_in(key, index), build))
            for index, (layer, build) in enumerate(builders.values())}

    def pairs(self):
        """Layers that have weights, with their stacks."""
        return [(layer, stack) for layer, stack in self.stacks.values()
                if isinstance(stack, stacking.Stacked)]

    def tables(self):
        """Layers with tables and without weights, which all copies share."""
        return [part for layer, stack in self.stacks.values()
                if isinstance(layer, keras.layers.Layer)
                for part in keras_internals.layers(layer)
                if hasattr(part, "get_vocabulary")]

    def run(self, inputs, training):
        if self.functional is None:
            [(_, stack)] = self.stacks.values()
            flag = {"training": training} if keras_internals.takes_training(
                self.plain) else {}
            return stack(inputs, **flag)
        copies = tf.nest.flatten(inputs)[0].shape[0]
        # Keras assigns inputs by name, and expects batches.
        batches = keras_internals.standardize(
            self.functional, tf.nest.map_structure(stacking.fold, inputs))
        values = dict(zip(self.sources, (
            stacking.unfold(batch, copies) for batch in batches)))
        for call in self.calls:
            self._run(call, values, training)
        outputs = [_together(values[key]) for key in self.results]
        return outputs[0] if len(outputs) == 1 else outputs

    def _run(self, call, values, training):
        """Runs a call for all copies; one by one if that saves stacking tensors.

        Between layers that run once for each copy, such as convolutions, values
        are a tuple with a tensor for each copy.
        """
        layer, stack = self.stacks[id(call.layer)]
        weighty = isinstance(stack, stacking.Stacked)
        inputs = {key: values[key] for key in call.inputs.values()}
        split = any(isinstance(value, tuple) for value in inputs.values())
        alone = call.masked or call.constants or (
            stack.apart if weighty else split or not _keeps_rows(layer))
        if not alone:
            inputs = {key: _together(value) for key, value in inputs.items()}
            call.run(inputs, training, stack)
            values.update((key, inputs[key]) for key in call.outputs)
            return
        outputs, states = [], []

        def run(copy, *args, **kwargs):
            output, state = stack.run_copy(copy, args, kwargs)
            states.append(state)
            return output

        for copy in range(self.copies):
            mine = {key: _of_copy(value, copy) for key, value in inputs.items()}
            with stacking.noise_of(copy):
                call.run(mine, training,
                         functools.partial(run, copy) if weighty else layer)
            outputs.append([mine[key] for key in call.outputs])
        if weighty and training:
            stack.keep(states)
        values.update(zip(call.outputs, map(tuple, zip(*outputs))))


def _keeps_rows(layer):
    """Whether a layer or operation without weights treats each row by itself."""
    if not isinstance(layer, keras.layers.Layer):
        return type(layer).__name__ in _BY_NUMBER
    return type(layer).__module__.split(".")[0] == "keras" and not isinstance(
        layer, keras.layers.Lambda)


def _of_copy(value, copy):
    """Value of one copy: its own, or the one that all copies share."""
    shared = not isinstance(value, tuple) and value.shape[0] == 1
    return value[0 if shared else copy]


def _together(value):
    """One tensor `[M, B, ...]` of the tensors of single copies."""
    return tf.stack(value) if isinstance(value, tuple) else value
