"""Convolutional network of cells that share one random structure.

    conv 3x3 stem; stages of cells; BatchNorm, ReLU, global mean, dense out
    transition = BatchNorm, ReLU, conv 1x1 to `reduction` of the channels, mean pool 2

A cell keeps its input and adds `num_nodes * growth` channels, so that a stage is
a dense block. The published network has 3 stages of 4 cells with 7 nodes, growth 16,
a stem of 32 channels, and transitions that keep 40 % of the channels.

Reference: Deng et al., Measuring Uncertainty through Bayesian Learning of Deep
Neural Network Structure, 2019, and its released code.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.layers import Cell, ConcreteStructure
from bdlzoo.layers.fused_normalization import FusedNormalization
from bdlzoo.networks import blocks

OPERATIONS = ("zero", "identity", "separable_3x3", "dilated_3x3")


@registry.register
def CellCNN(input_shape, outputs=10, stages=(4, 4, 4), num_nodes=7, growth=16,
            stem=32, stem_stride=1, reduction=0.4, operations=OPERATIONS,
            dropout=0.0, drop_path=0.0):
    """Builds the network of cells for images.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`.
        outputs: Integer, number of raw outputs.
        stages: Tuple of integers, number of cells of each stage.
        num_nodes: Integer, number of nodes of a cell.
        growth: Integer, channels of a node.
        stem: Integer, channels of the first convolution.
        stem_stride: Integer, stride of the first convolution; 2 halves the sides.
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
    network = CellCNN((28, 28, 1), stages=(1, 1), num_nodes=4, growth=8, stem=16,
                      stem_stride=2)
    ```
    """
    stages = blocks.check_sizes("stages", stages)
    [stem_stride] = blocks.check_sizes("stem_stride", (stem_stride,))
    halvings = 2 ** (len(stages) - 1)
    input_shape = blocks.check_image(input_shape, stem_stride * (halvings - 1) + 1)
    [stem] = blocks.check_sizes("stem", (stem,))
    [growth] = blocks.check_sizes("growth", (growth,))
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    blocks.check_rates(dropout=dropout, drop_path=drop_path)
    if not 0 < reduction <= 1:
        raise ValueError("Expected a share of the channels in (0, 1]. Received: "
                         f"reduction={reduction}")

    x = inputs = keras.Input(input_shape)
    structure = ConcreteStructure(num_nodes, operations)(inputs)
    x = keras.layers.Conv2D(stem, 3, stem_stride, "same", use_bias=False)(x)
    for place, cells in enumerate(stages):
        if place:
            x = FusedNormalization()(x)
            x = keras.layers.ReLU()(x)
            kept = max(1, int(reduction * x.shape[-1]))
            x = keras.layers.Conv2D(kept, 1, use_bias=False)(x)
            x = keras.layers.AveragePooling2D(2)(x)
        for _ in range(cells):
            x = Cell(num_nodes, growth, operations, dropout, drop_path)([x, structure])
    x = keras.layers.ReLU()(FusedNormalization()(x))
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, keras.layers.Dense(outputs)(x), name="cell_cnn")
