"""Calls of the layers inside of a network, in the order they run."""

import itertools
import typing

import keras

from bdlzoo.core import keras_internals
from bdlzoo.surgery import conversion


class Call(typing.NamedTuple):
    """One call of a layer; keys stand for tensors that are computed later."""

    layer: keras.layers.Layer
    arguments: typing.Any  # Keras' symbolic arguments, filled in when run.
    inputs: dict  # Id of a symbolic input -> key of its value.
    outputs: list  # Keys of the values that it computes.
    random: bool  # Whether the layer itself draws noise.
    symbols: list  # Keras' symbolic outputs.

    @property
    def masked(self):
        """Whether tensors that it reads or computes have a mask of Keras."""
        return any(keras_internals.mask_of(tensor) is not None
                   for tensor in (*self.arguments.keras_tensors, *self.symbols))

    @property
    def constants(self):
        """Whether arrays or tensors are among its arguments, beside those it reads."""
        return any(hasattr(part, "shape") and not isinstance(part, keras.KerasTensor)
                   for part in keras.tree.flatten(
                       (self.arguments.args, self.arguments.kwargs)))

    def build(self, layer):
        """Builds another layer of the same config, by the same call."""
        layer(*self.arguments.args, **self.arguments.kwargs)

    def run(self, values, training, layer=None):
        """Calls the layer on tensors of `values` and adds its outputs to them.

        Args:
            values: Dict of tensors by key.
            training: Bool, whether the layer runs in training mode.
            layer: Layer or function to call instead; `None` for the layer itself.
        """
        known = {symbol: values[key] for symbol, key in self.inputs.items()}
        args, kwargs = self.arguments.fill_in(known)
        if keras_internals.takes_training(self.layer):
            kwargs["training"] = training
        outputs = (layer or self.layer)(*args, **kwargs)
        values.update(zip(self.outputs, keras.tree.flatten(outputs)))


def walk(functional, unfold=False):
    """Lists the calls of a functional model; random nested models are unfolded.

    Args:
        functional: Functional `keras.Model`.
        unfold: Bool, whether nested models without noise are unfolded too.

    Returns:
        Keys of the inputs, calls, keys of the outputs.
    """
    fresh = itertools.count()  # New keys for each call of a shared model.
    sources = [next(fresh) for _ in functional.inputs]
    keys = dict(zip(map(id, functional.inputs), sources))
    return sources, *_walk(functional, keys, fresh, unfold)


def _walk(functional, keys, fresh, unfold):
    """Lists calls in order; `keys` holds the key of each symbolic tensor."""
    calls = []
    for node in keras_internals.nodes(functional):
        symbols = node.arguments.keras_tensors
        inputs = {id(t): keys[id(t)] for t in symbols}
        random = (isinstance(node.operation, keras.layers.Layer)
                  and bool(conversion.stochastic_layers(node.operation)))
        inner = (keras_internals.graph(node.operation) if random or unfold
                 else None)
        if inner is None:
            outputs = [next(fresh) for _ in node.outputs]
            calls.append(Call(node.operation, node.arguments, inputs, outputs,
                               random, node.outputs))
        else:
            begun = {id(inside): keys[id(outside)] for inside, outside
                     in zip(inner.inputs, symbols)}
            nested, outputs = _walk(inner, begun, fresh, unfold)
            calls += nested
        keys.update(zip(map(id, node.outputs), outputs))
    return calls, [keys[id(t)] for t in functional.outputs]
