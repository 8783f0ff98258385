"""Networks of all kinds are built and say what comes out."""

import keras
import pytest

from bdlzoo.surgery import output_shape


class Subclassed(keras.Model):
    """Has no weights before it is called."""

    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(3)

    def call(self, inputs, training=False):
        return self.dense(inputs)


@pytest.mark.parametrize("network", [
    keras.Sequential([keras.layers.Dense(3)]),
    keras.Sequential([keras.Input((5,)), keras.layers.Dense(3)]), Subclassed()],
    ids=["unbuilt", "built", "subclassed"])
def test_shape_of_outputs(network):
    assert output_shape.of(network, (None, 5)) == (None, 3)
    assert network.count_params() == 18
