"""Which layers are chosen; see `test_bayesianize.py` for names, kinds, functions."""

import keras
import pytest

from bdlzoo.surgery.selection import CONVERTIBLE, selector


def _network():
    """The last dense layer was made first; groups and subclasses have no twin."""
    last = keras.layers.Dense(3, name="last")
    inner = keras.Sequential([keras.Input((4, 4, 2)), keras.layers.Conv2D(
        2, 1, name="inner")], name="nested")
    inputs = keras.Input((4, 4, 2))
    x = keras.layers.Conv2D(2, 1, name="first")(inputs)
    x = keras.layers.Conv2D(2, 1, groups=2, name="groups")(inner(x))
    x = keras.layers.BatchNormalization(name="norm")(x)
    x = keras.layers.BatchNormalization(scale=False, name="bare")(x)
    return keras.Model(inputs, last(keras.layers.Flatten()(x)))


def _chosen(select, kinds=CONVERTIBLE):
    network = _network()
    chosen = selector(network, select, kinds)
    layers = [*network.layers, *network.get_layer("nested").layers]
    return {layer.name for layer in layers if chosen(layer)}


def test_a_number_is_the_last_so_many():
    assert _chosen(1) == {"last"}
    assert _chosen(2) == {"last", "inner"}
    assert _chosen(3) == _chosen(None) == {"last", "inner", "first"}
    for count in (0, 4):
        with pytest.raises(ValueError, match=f"from 1 to 3.*select={count}"):
            _chosen(count)


def test_batch_normalisation_can_be_among_them():
    kinds = (*CONVERTIBLE, keras.layers.BatchNormalization)
    assert _chosen(None, kinds) == {"last", "inner", "first", "norm"}
    assert _chosen("norm", kinds) == {"norm"}
    with pytest.raises(ValueError, match="layer bare of type BatchNorm"):
        _chosen("bare", kinds)
