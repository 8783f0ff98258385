"""One walk over the layers of a network, layers inside of layers included.

A way leads from a layer to one inside of it, by attributes, places in lists, keys of
dictionaries, and places in a functional or Sequential model. Names of layers change
from copy to copy, and are no part of it:

    ("blocks", 0, "dense")      layer.blocks[0].dense
    ("head", "layers", 2)       layer.head.layers[2], of a model

A layer that several attributes hold is found once. A layer that Keras tracks, but no
attribute holds, can be visited and not replaced: its way is `None`.
"""

import typing

import keras

from bdlzoo.core import keras_internals


class Found(typing.NamedTuple):
    """A layer, and the way to it."""

    way: tuple | None
    layer: keras.layers.Layer


def inside(layer):
    """Lists the layers directly inside of a layer.

    Args:
        layer: Layer or network of Keras, or an operation, which has none.
    """
    if is_model(layer):
        return [Found(("layers", place), part)
                for place, part in enumerate(layer.layers)]
    tracked = {id(part): part for part in keras_internals.sublayers(layer)}
    ways = {}
    for name, value in keras_internals.attributes(layer):
        for way, part in _leaves(value):
            if id(part) in tracked:
                ways.setdefault(id(part), (name, *way))
    return [Found(ways.get(key), part) for key, part in tracked.items()]


def walk(layer):
    """Lists a layer and all layers below it, each once, outer ones first.

    Args:
        layer: Layer or network of Keras.
    """
    found, seen = [], set()

    def visit(way, part):
        if id(part) in seen:
            return
        seen.add(id(part))
        found.append(Found(way, part))
        for inner, deeper in inside(part):
            known = way is not None and inner is not None
            visit((*way, *inner) if known else None, deeper)

    visit((), layer)
    return found


def is_model(layer):
    """Whether a layer is a functional or Sequential model, which can be rewired."""
    return isinstance(layer, keras.Sequential) or (
        keras_internals.graph(layer) is not None)


def at(layer, way):
    """The layer at the end of a way; `None` if it is not there (yet)."""
    for step in way:
        try:
            held = isinstance(layer, (list, tuple, dict))
            layer = layer[step] if held else getattr(layer, step)
        except (AttributeError, IndexError, KeyError):
            return None
    return layer


def replace(layer, old, new):
    """Puts a layer in the place of one directly inside of a layer.

    Args:
        layer: Layer that is neither functional nor Sequential.
        old: Layer that attributes of it hold, also in lists and dictionaries.
        new: Layer to use in its place, everywhere.
    """
    with keras_internals.open_state(layer, old):
        for name, value in keras_internals.attributes(layer):
            if any(part is old for _, part in _leaves(value)):
                setattr(layer, name, _swapped(value, old, new))


def _swapped(value, old, new):
    if value is old:
        return new
    if isinstance(value, dict):
        return {key: _swapped(part, old, new) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [_swapped(part, old, new) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    return value


def _leaves(value, way=()):
    """Pairs of a way and a value, of all values in lists and dictionaries."""
    if isinstance(value, dict):
        places = value.items()
    elif isinstance(value, (list, tuple)):
        places = enumerate(value)
    else:
        return [(way, value)]
    return [leaf for place, part in places for leaf in _leaves(part, (*way, place))]
