"""Embeddings: an index that comes twice, and masks."""

import numpy as np

from tests.layers.variational_cases import draw, make

TWICE = np.array([[2, 5, 2], [2, 1, 0]])


def test_an_index_has_one_vector_in_a_row():
    for name in ("EmbeddingReparameterization", "EmbeddingFlipout"):
        outputs = draw(make(name), TWICE)[0]
        np.testing.assert_array_equal(outputs[0, 0], outputs[0, 2])
    outputs = draw(make("EmbeddingFlipout", output_dim=16), TWICE)[0]
    assert np.abs(outputs[0, 0] - outputs[1, 0]).max() > 1e-3  # Other signs.
    outputs = draw(make("EmbeddingLocalReparameterization"), TWICE)[0]
    assert np.abs(outputs[0, 0] - outputs[0, 2]).min() > 1e-6


def test_mask_of_keras_is_kept():
    layer = make("EmbeddingFlipout", mask_zero=True)
    np.testing.assert_array_equal(layer.compute_mask(TWICE), TWICE != 0)
