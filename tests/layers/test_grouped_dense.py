"""Dense operations of a cell: a kernel for each node."""

import keras
import numpy as np

from bdlzoo.layers.grouped_dense import GroupedDense
from tests.layers.cell_cases import GROUPS, IMAGE, make


def test_dense_is_a_product_for_each_node():
    x = IMAGE[:, 0, 0]
    operation = make("flat dense_tanh", x)
    nodes = np.split(x, GROUPS, axis=-1)
    biases = np.split(operation.bias.numpy(), GROUPS)
    expected = [np.tanh(node @ kernel + bias) for node, kernel, bias in zip(
        nodes, operation.kernel.numpy(), biases)]
    np.testing.assert_allclose(operation.outputs(x), np.concatenate(expected, -1),
                               rtol=1e-5)


def test_initial_kernels_know_nothing_of_the_number_of_nodes():
    keras.utils.set_random_seed(1)
    scales = []
    for groups in (1, 6):
        operation = GroupedDense(groups)
        operation.build(((None, groups * 64), (groups,)))
        scales.append(operation.kernel.numpy().std())
    np.testing.assert_allclose(scales, np.sqrt(1 / 64), rtol=0.05)
