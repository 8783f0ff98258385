"""ResNet-20 has the weights and the layers it should."""

import keras
import numpy as np

from bdlzoo.networks.resnet20 import ResNet20


def test_weights_are_about_270_000_on_small_images():
    network = ResNet20((32, 32, 3))
    count = sum(w.shape.num_elements() for w in network.trainable_variables)
    assert count == 272_282
    assert network.output_shape == (None, 10)
    assert network.layers[-1].activation is keras.activations.linear


def test_twenty_layers_halve_the_sides_twice():
    network = ResNet20((16, 16, 1))
    kernels = [layer for layer in network.layers
               if isinstance(layer, (keras.layers.Conv2D, keras.layers.Dense))]
    around = [k for k in kernels if getattr(k, "kernel_size", None) == (1, 1)]
    assert len(kernels) - len(around) == 20 and len(around) == 2
    assert all(not k.use_bias for k in kernels[:-1])
    pool = next(layer for layer in network.layers
                if isinstance(layer, keras.layers.GlobalAveragePooling2D))
    assert pool.input.shape == (None, 4, 4, 64)


def test_an_empty_block_hands_on_what_came_in():
    """Without the last norm's scale, a block is the relu of its input."""
    network = ResNet20((8, 8, 1), dropout=0.3, conv={"type": "Conv2DFlipout"})
    norms = [layer for layer in network.layers
             if isinstance(layer, keras.layers.BatchNormalization)]
    norms[2].gamma.assign(np.zeros(16))  # The second one of the first block.
    adds = [layer for layer in network.layers if isinstance(layer, keras.layers.Add)]
    inside = keras.Model(network.input, [adds[0].input[1], adds[0].output])
    before, after = inside(np.random.default_rng(0).normal(size=(2, 8, 8, 1)))
    np.testing.assert_allclose(before, after, atol=1e-6)
    assert np.abs(before).max() > 0.1
    names = [type(layer).__name__ for layer in network.layers]
    assert names.count("Conv2DFlipout") == 21 and names[-2] == "Dropout"
