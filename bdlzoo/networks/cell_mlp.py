"""Network of cells with dense operations, for flat features.

    h_0 = flatten(x)
    h_l = cell(h_{l-1})          all cells have the same random structure
    y   = dense(h_L)             raw: logits, or means

A cell keeps its input and adds `num_nodes * growth` features.

Reference: Deng et al., Measuring Uncertainty through Bayesian Learning of Deep
Neural Network Structure, 2019, for cells of images.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.layers import Cell, ConcreteStructure
from bdlzoo.networks import blocks

OPERATIONS = ("zero", "identity", "dense_relu", "dense_tanh")


@registry.register
def CellMLP(input_shape, outputs=10, cells=2, num_nodes=3, growth=32,
            operations=OPERATIONS, dropout=0.0, drop_path=0.0):
    """Builds the network of cells for flat features.

    Args:
        input_shape: Tuple of integers, shape of one input; inputs of higher
            rank are flattened.
        outputs: Integer, number of raw outputs.
        cells: Integer, number of cells, one after the other.
        num_nodes: Integer, number of nodes of a cell.
        growth: Integer, features of a node.
        operations: Tuple of names: `"zero"`, `"identity"`, `"dense_relu"` and
            `"dense_tanh"`.
        dropout: Float, rate of dropout on the nodes; 0 for none.
        drop_path: Float, rate at which an operation with kernels is left out; 0 for
            none.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = CellMLP((2,), outputs=2, num_nodes=3, growth=16)
    ```
    """
    input_shape = blocks.check_sizes("input_shape", input_shape)
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    [cells] = blocks.check_sizes("cells", (cells,))
    [growth] = blocks.check_sizes("growth", (growth,))
    blocks.check_rates(dropout=dropout, drop_path=drop_path)

    x = inputs = keras.Input(input_shape)
    structure = ConcreteStructure(num_nodes, operations)(inputs)
    if len(input_shape) > 1:
        x = keras.layers.Flatten()(x)
    for _ in range(cells):
        x = Cell(num_nodes, growth, operations, dropout, drop_path)([x, structure])
    return keras.Model(inputs, keras.layers.Dense(outputs)(x), name="cell_mlp")
