"""Inputs that are made up to try a network."""

import keras
import numpy as np
import pytest

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


@pytest.mark.parametrize("shortest, longest, expected", [
    (1, 9, 8), (1, 3, 2), (20, 40, 32)])
def test_a_length_is_found_on_which_the_network_runs(shortest, longest, expected):
    class Between(keras.layers.Layer):
        def call(self, inputs):
            length = inputs.shape[1]
            if length is not None and not shortest <= length <= longest:
                raise ValueError(f"length {length}")
            return inputs

    network = keras.Sequential([keras.Input((None, 2)), Between()])
    assert probe.inputs(network).shape == (2, expected, 2)


def test_a_network_that_runs_on_no_length_is_named():
    class Never(keras.layers.Layer):
        def call(self, inputs):
            if inputs.shape[1] is not None:
                raise ValueError("too short")
            return inputs

    network = keras.Sequential([keras.Input((None, 2)), Never()], name="picky")
    with pytest.raises(ValueError, match="(?s)fixed shape.*picky.*too short"):
        probe.inputs(network)
