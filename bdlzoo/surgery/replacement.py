"""Replacement of layers of a network by others, layers inside of layers included.

The network is cloned, and does not change. A layer of a functional or Sequential model
is replaced in the graph; one inside of a custom layer is replaced in its attributes, by
an `EditedLayer`. All that is not replaced keeps its weights, statistics and tables.
"""

import keras

from bdlzoo.core import keras_internals
from bdlzoo.surgery import cloning, walk
from bdlzoo.surgery.edited_layer import EditedLayer

# They compute with the weights of the layer inside, not by its call, or hold cells
# that are called step by step.
_CLOSED = (keras.layers.SpectralNormalization, keras.layers.RNN)


def convert(network, swap):
    """Clones a network with some layers replaced by others.

    Args:
        network: Functional or Sequential model; it does not change.
        swap: Function of a layer that returns the layer to use in its place, or `None`
            for a copy. It is called once for each layer, outer ones first; layers
            inside of a replaced one are not asked for.

    Returns:
        Model of the same topology; copied layers have the same weights.
    """
    if keras_internals.graph(network) is None:
        raise ValueError(
            "Expected a functional or Sequential network: the calls inside a "
            "subclassed one cannot be rewired. Build it from layers with "
            f"`keras.Model(inputs, outputs)`. Received: {type(network).__name__}")
    return _Conversion(swap).network(network)


def copy(network):
    """Clones a network, with its weights, statistics and tables."""
    return convert(network, lambda layer: None)


def reachable(network):
    """Layers that `convert` can replace, in the order of a walk."""
    found, seen = [], set()

    def visit(layer):
        if id(layer) not in seen:
            seen.add(id(layer))
            found.append(layer)
            for _, part in _open_parts(layer):
                visit(part)

    visit(network)
    return found


def _open_parts(layer):
    """Layers directly inside of a layer that can be replaced, with their ways."""
    if isinstance(layer, _CLOSED):
        return []
    if isinstance(layer, EditedLayer):
        layer = layer.layer
    return [found for found in walk.inside(layer) if found.way is not None]


class _Conversion:
    """One conversion: what `swap` said, and the copies that need their weights."""

    def __init__(self, swap):
        self.swap = swap
        self.swapped, self.copied = {}, {}

    def network(self, network):
        for layer in network.layers:
            self._ask(layer)
        twin = self._rewired(network)
        for layer, other in self.copied.values():
            self._copy_state(layer, other)
        return twin

    def _ask(self, layer):
        """Asks `swap` once for each layer that can be replaced."""
        if id(layer) in self.swapped or isinstance(layer, keras.layers.InputLayer):
            return
        self.swapped[id(layer)] = self.swap(layer)
        if self.swapped[id(layer)] is None:
            for _, part in _open_parts(layer):
                self._ask(part)

    def _changes(self, layer):
        """Whether a layer, or one inside of it, is replaced."""
        return self.swapped.get(id(layer)) is not None or any(
            self._changes(part) for _, part in _open_parts(layer))

    def _rewired(self, model):
        return keras.models.clone_model(
            model, clone_function=self._in_place_of, recursive=True)

    def _in_place_of(self, layer):
        """The layer to use in place of one: a replacement, or a copy."""
        other = self.swapped.get(id(layer))
        if other is not None:
            return other
        if id(layer) not in self.copied:
            self.copied[id(layer)] = layer, self._copied(layer)
        return self.copied[id(layer)][1]

    def _copied(self, layer):
        if walk.is_model(layer):
            return self._rewired(layer)
        old = layer.edits if isinstance(layer, EditedLayer) else {}
        edits = [(way, self._in_place_of(part)) for way, part in _open_parts(layer)
                 if way in old or self._changes(part)]
        if not edits:
            return cloning.clone(layer)
        if isinstance(layer, EditedLayer):
            layer = layer.layer
        return EditedLayer(cloning.clone(layer), edits, trainable=layer.trainable)

    def _copy_state(self, layer, other):
        """Copies the state of a layer, except for the parts that were replaced."""
        if walk.is_model(layer):
            return  # Its layers are copies too.
        if not isinstance(other, EditedLayer):
            cloning.copy_state(layer, other)
            return
        if isinstance(layer, EditedLayer):
            layer = layer.layer
        cloning.copy_own(layer, other.layer)
        for way, part in _open_parts(layer):
            if way not in other.edits:
                cloning.copy_state(part, walk.at(other.layer, way))
