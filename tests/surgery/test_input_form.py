"""Structure, ranks and types of the inputs of networks."""

import keras
import numpy as np
import pytest

from bdlzoo.core import arrays
from bdlzoo.surgery import input_form
from tests.doors import small_networks as small


def test_blank_rows_have_the_types_of_the_network():
    network, rows = small.mixed()
    shapes = {name: (None, *array.shape[1:]) for name, array in rows.items()}
    blank = input_form.blank_rows(network, shapes)
    assert arrays.dtypes(blank) == {"city": "string", "size": "float32",
                                    "word": "int32"}
    subclassed, _ = small.looked_up()
    assert input_form.dtypes(subclassed) is None
    input_form.remember(subclassed, {"size": rows["size"], "city": blank["city"]})
    assert input_form.dtypes(subclassed) == ["string", "float32"]


def test_specs_have_names_that_do_not_change():
    parts = [keras.Input((2,)), keras.Input((3,), name="late")]
    network = keras.Model(parts, keras.layers.Concatenate()(parts))
    specs = input_form.specs(network, [(None, 2), (None, 3)])
    assert [spec.name for spec in specs] == ["inputs_0", "late"]
    assert input_form.specs(None, (None, 2)).name == "inputs"


def test_inputs_are_fitted_by_name_and_rank():
    network, _ = small.named("b", "a")
    rows = {"a": np.zeros((5, 3)), "b": np.ones((5, 2)), "c": np.zeros(5)}
    assert not input_form.is_fitted(network, rows)
    found = input_form.fitted(network, rows)
    assert sorted(found) == ["a", "b"] and input_form.is_fitted(network, found)
    with pytest.raises(ValueError, match=r"without \['a'\]"):
        input_form.fitted(network, {"b": rows["b"]})
    with pytest.raises(ValueError, match=r"dictionary of the inputs.*\['a', 'b'\]"):
        input_form.fitted(network, [rows["b"], rows["a"]])
    column = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    assert input_form.fitted(column, np.zeros(5)).shape == (5, 1)
    scalar = keras.Input(())
    flat = keras.Model(scalar, keras.layers.Lambda(lambda x: x + 1.0)(scalar))
    assert input_form.fitted(flat, np.zeros((5, 1))).shape == (5,)
