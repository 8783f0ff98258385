"""Inputs that are made up to try a network."""

import keras
import numpy as np

from bdlzoo.surgery import probe


def test_inputs_have_the_structure_and_the_types_of_the_network():
    symbols = {"a": keras.Input((3,)), "b": keras.Input((None,), dtype="int32"),
               "c": keras.Input((1,), dtype="string")}
    network = keras.Model(symbols, keras.layers.Dense(2)(symbols["a"]))
    found = probe.inputs(network)
    assert {name: (part.dtype.name, len(part)) for name, part in found.items()} == {
        "a": ("float32", 2), "b": ("int32", 2), "c": ("string", 2)}
    assert 0 <= found["b"].numpy().min() and found["b"].numpy().max() <= 1


def test_gap_is_relative_to_the_outputs():
    network, other = (keras.Sequential([keras.Input((2,)), keras.layers.Dense(
        1, kernel_initializer="zeros", bias_initializer=keras.initializers.Constant(
            value))]) for value in (9.0, 10.0))
    np.testing.assert_allclose(probe.gap(network, other), 0.1, rtol=1e-6)
    assert probe.gap(network, network) == 0.0
