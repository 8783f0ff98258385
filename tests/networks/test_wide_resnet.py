"""Wide residual networks have the weights and the layers they should."""

import keras
import pytest

from bdlzoo.networks.wide_resnet import WideResNet


def _count(network):
    return sum(w.shape.num_elements() for w in network.trainable_variables)


def test_weights_follow_the_closed_form():
    """Which at depth 28 and width 10 gives 36,479,194."""
    assert _count(WideResNet((32, 32, 3), depth=16, width=2)) == _expected(16, 2)
    assert _expected(28, 10) == 36_479_194


def _expected(depth, width):
    count, before = 27 * 16, 16
    for filters in (16 * width, 32 * width, 64 * width):
        for _ in range((depth - 4) // 6):
            count += 9 * filters * (before + filters) + 2 * (before + filters)
            count += before * filters if before != filters else 0
            before = filters
    return count + 2 * before + 10 * before + 10


@pytest.mark.slow
def test_weights_are_36_479_194_where_nothing_is_said():
    assert _count(WideResNet((32, 32, 3))) == 36_479_194


def test_dropout_is_inside_the_blocks_and_layers_are_told():
    network = WideResNet((8, 8, 1), depth=10, width=1, dropout=0.3,
                         conv={"type": "Conv2DFlipout"}, layer={"type": "DenseFlipout"})
    names = [type(layer).__name__ for layer in network.layers]
    assert names.count("Dropout") == 3 and names.count("Add") == 3
    # One at the start, two a block, and two around where filters change.
    assert names.count("Conv2DFlipout") == 1 + 6 + 2
    assert names[-1] == "DenseFlipout" and names[-2] == "GlobalAveragePooling2D"
    sizes = [layer.output.shape[1] for layer in network.layers
             if isinstance(layer, keras.layers.Add)]
    assert sizes == [8, 4, 2]


def test_a_depth_that_does_not_divide_is_refused():
    with pytest.raises(ValueError, match="6 n \\+ 4.*depth=18"):
        WideResNet((32, 32, 3), depth=18)
