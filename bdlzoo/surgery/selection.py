"""Selection of the layers of a network that get a posterior."""

import keras

from bdlzoo.core import keras_internals
from bdlzoo.surgery import calls, replacement

CONVERTIBLE = (keras.layers.Dense, keras.layers.Conv1D, keras.layers.Conv2D,
               keras.layers.Conv3D, keras.layers.DepthwiseConv2D,
               keras.layers.Embedding, keras.layers.EinsumDense, keras.layers.LSTM,
               keras.layers.GRU, keras.layers.SimpleRNN)


def selector(model, select, kinds=CONVERTIBLE):
    """Returns a function of a layer that tells whether it is selected.

    Args:
        model: Functional or Sequential Keras model.
        select: A layer class, a name, a list of them, a function of a layer that
            returns a bool, or an integer for the last so many layers; `None` is all
            layers of `kinds`.
        kinds: Tuple of the layer classes that can be selected.
    """
    if select is None:
        return lambda layer: _can_be(layer, kinds)
    if isinstance(select, int):
        return _last(model, select, kinds)
    if callable(select) and not isinstance(select, type):
        wanted = select
    else:
        wanted = _listed(model, select)

    def chosen(layer):
        if not wanted(layer):
            return False
        if not _can_be(layer, kinds):
            raise ValueError(
                "Expected layers that have a variational form: "
                f"{', '.join(kind.__name__ for kind in kinds)}. Received: "
                f"layer {layer.name} of type {type(layer).__name__}; leave it out "
                "of `select`")
        return True

    return chosen


def _listed(model, select):
    parts = select if isinstance(select, (list, tuple)) else [select]
    kinds = tuple(part for part in parts if isinstance(part, type))
    names = {part for part in parts if isinstance(part, str)}
    known = {layer.name for layer in keras_internals.layers(model)}
    if names - known:
        raise ValueError("Expected names of layers of the model, such as "
                         f"{sorted(known)[:5]}. Received: "
                         f"select={sorted(names - known)}")
    return lambda layer: isinstance(layer, kinds) or layer.name in names


def _last(model, count, kinds):
    functional = keras_internals.graph(model)
    if functional is None:  # The conversion refuses it, with the reason.
        return lambda layer: False
    _, every, _ = calls.walk(functional, unfold=True)
    able = {id(layer): layer for call in every
            for layer in replacement.reachable(call.layer) if _can_be(layer, kinds)}
    if not 1 <= count <= len(able):
        raise ValueError(
            f"Expected a number of layers from 1 to {len(able)}, as many as have a "
            f"variational form. Received: select={count}")
    last = set(list(able)[-count:])
    return lambda layer: id(layer) in last


def _can_be(layer, kinds):
    # A subclass may use its kernel in another way. There is no variational form of
    # groups, nor of a normalisation without a scale or not over the last axis. A layer
    # that was never called has no weights to start from.
    if type(layer) not in kinds or not layer.built:
        return False
    if isinstance(layer, keras.layers.BatchNormalization):
        return layer.scale and layer.axis in (-1, layer.input_spec.ndim - 1)
    if isinstance(layer, keras.layers.EinsumDense):
        return "." not in layer.equation  # Dots stand for axes that are not named.
    return getattr(layer, "groups", 1) == 1
