"""Encoder and decoder of cells that share one random structure.

    stem      conv 3x3
    encoder   per stage: cells; BatchNorm, ReLU, conv 1x1 to `reduction`, mean pool 2
    middle    cells
    decoder   per stage: BatchNorm, ReLU, conv 1x1 to `reduction`, upsample 2,
              concatenate the stage; cells
    outputs   BatchNorm, ReLU, conv 1x1, of each pixel

A cell keeps its input, so that a stage is a dense block, and the whole is like
FC-DenseNet. The published network has 5 stages of 3 cells down, one cell in the middle,
and 5 stages of 3 cells up, of 7 nodes, growth 16, 3 operations (no zero), after a stem
of 48 channels. It has one structure for the way down and one for the way up; here all
cells share one.

Reference: Deng et al., Measuring Uncertainty through Bayesian Learning of Deep
Neural Network Structure, 2019, and its released code; Jegou et al., The One Hundred
Layers Tiramisu, CVPR Workshops 2017.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.layers import Cell, ConcreteStructure
from bdlzoo.layers.fused_normalization import FusedNormalization
from bdlzoo.networks import blocks

OPERATIONS = ("identity", "separable_3x3", "dilated_3x3")


@registry.register
def CellUNet(input_shape, outputs, stages=(1, 1), middle=1, num_nodes=4, growth=8,
             stem=16, reduction=0.5, operations=OPERATIONS, dropout=0.0, drop_path=0.0):
    """Builds the network of cells for a class for each pixel.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`.
        outputs: Integer, number of raw outputs of a pixel.
        stages: Tuple of integers, number of cells of each stage, the largest image
            first; as many up as down.
        middle: Integer, number of cells in the middle.
        num_nodes: Integer, number of nodes of a cell.
        growth: Integer, channels of a node.
        stem: Integer, channels of the first convolution.
        reduction: Float in (0, 1], share of the channels that a transition keeps.
        operations: Tuple of names: `"zero"`, `"identity"`, `"separable_3x3"`,
            `"dilated_3x3"`, `"average_pool_3x3"` and `"max_pool_3x3"`.
        dropout: Float, rate of dropout on the nodes; 0 for none.
        drop_path: Float, rate at which an operation with kernels is left out; 0 for
            none.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = CellUNet((48, 64, 3), outputs=11, stages=(1, 1), num_nodes=4)
    ```
    """
    stages = blocks.check_sizes("stages", stages)
    input_shape = blocks.check_image(input_shape, 2 ** len(stages))
    [middle] = blocks.check_sizes("middle", (middle,))
    [stem] = blocks.check_sizes("stem", (stem,))
    [growth] = blocks.check_sizes("growth", (growth,))
    blocks.check_rates(dropout=dropout, drop_path=drop_path)
    if not 0 < reduction <= 1:
        raise ValueError("Expected a share of the channels in (0, 1]. Received: "
                         f"reduction={reduction}")

    x = inputs = keras.Input(input_shape)
    structure = ConcreteStructure(num_nodes, operations)(inputs)

    def cells(x, count):
        for _ in range(count):
            x = Cell(num_nodes, growth, operations, dropout, drop_path)([x, structure])
        return x

    def reduced(x):
        x = keras.layers.ReLU()(FusedNormalization()(x))
        kept = max(1, int(reduction * x.shape[-1]))
        return keras.layers.Conv2D(kept, 1, use_bias=False)(x)

    x = keras.layers.Conv2D(stem, 3, padding="same", use_bias=False)(x)
    levels = []
    for count in stages:
        x = cells(x, count)
        levels.append(x)
        x = keras.layers.AveragePooling2D(2, padding="same")(reduced(x))
    x = cells(x, middle)
    for level, count in zip(levels[::-1], stages[::-1]):
        x = blocks.sized_like(keras.layers.UpSampling2D(2)(reduced(x)), level)
        x = cells(keras.layers.Concatenate()([level, x]), count)
    x = keras.layers.ReLU()(FusedNormalization()(x))
    return keras.Model(inputs, blocks.pixel_outputs(x, outputs), name="cell_unet")
