"""Calls come in an order in which they can run."""

from bdlzoo.core import keras_internals
from bdlzoo.surgery import calls
from tests.surgery import strange_networks


def test_every_value_is_made_before_it_is_read():
    functional = keras_internals.graph(strange_networks.nested())
    sources, walked, results = calls.walk(functional)
    made = set(sources)
    for call in walked:
        assert made.issuperset(call.inputs.values())
        assert made.isdisjoint(call.outputs)  # A shared model makes new values.
        made.update(call.outputs)
    assert made.issuperset(results)


def test_random_calls_are_those_of_layers_with_noise():
    functional = keras_internals.graph(strange_networks.skips())
    _, walked, _ = calls.walk(functional)
    assert [type(c.layer).__name__ for c in walked if c.random] == ["Dropout"]
