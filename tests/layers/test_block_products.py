"""A product with blocks is a product of each group by itself."""

import numpy as np

from bdlzoo.layers.block_products import blocks, diagonal, product

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 5, 6)).astype("float32")
KERNEL = RNG.normal(size=(3, 2, 2)).astype("float32")


def test_blocks_on_the_diagonal_multiply_each_group():
    expected = [part @ block for part, block in zip(np.split(X, 3, axis=-1), KERNEL)]
    np.testing.assert_allclose(product(X, diagonal(KERNEL)),
                               np.concatenate(expected, axis=-1), atol=1e-6)
    np.testing.assert_array_equal(diagonal(KERNEL) == 0, blocks(KERNEL) == 0)


def test_blocks_one_below_the_other_add_the_groups_up():
    expected = sum(part @ block for part, block in zip(np.split(X, 3, axis=-1), KERNEL))
    bias = np.array([1.0, -2.0], "float32")
    np.testing.assert_allclose(product(X, KERNEL, bias), expected + bias, atol=1e-6)
