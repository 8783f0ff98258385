"""Dense layers: rows of several positions, and the law of the exemplar form."""

import numpy as np
import tensorflow as tf
from scipy import stats

from bdlzoo.core import noise
from tests.layers.variational_cases import draw, make


def test_drawing_outputs_is_the_law_of_drawing_weights_for_each_row():
    """The joint law of two units and two rows, by moments and by quantiles."""
    layer = make("DenseExemplar")
    x = np.random.default_rng(0).normal(size=(3, 5)).astype("float32")
    count = 20000
    outputs = draw(layer, x, count)
    with noise.draws(noise.key(7)):
        kernels = layer.draw_kernels(noise.current(), 3 * count)
    weights = tf.einsum("bi,bio->bo", np.tile(x, (count, 1)), kernels)
    weights = (weights + layer.bias).numpy().reshape(count, 3, 4)
    flat, expected = (a.reshape(count, -1) for a in (outputs, weights))
    np.testing.assert_allclose(
        np.cov(flat.T), np.cov(expected.T), atol=0.05 * np.cov(expected.T).max())
    for unit in range(flat.shape[1]):
        assert stats.ks_2samp(flat[:, unit], expected[:, unit]).pvalue > 1e-4


def test_exemplar_rows_of_several_positions_share_their_weights():
    """Flat or not decides: positions of a row see one kernel."""
    x = np.ones((4, 3, 5), "float32")  # Three equal positions a row.
    layer = make("DenseExemplar", inputs=x)
    outputs = draw(layer, x)[0]
    np.testing.assert_allclose(outputs[:, 0], outputs[:, 2], atol=1e-5)
    assert np.abs(outputs[0] - outputs[1]).min() > 1e-4
    assert layer.independent_rows
    local = make("DenseLocalReparameterization", inputs=x)
    outputs = draw(local, x)[0]
    assert np.abs(outputs[:, 0] - outputs[:, 2]).min() > 1e-5
    assert not local.independent_rows
    assert make("DenseLocalReparameterization").independent_rows


def test_stacked_kernels_serve_their_part_of_the_batch():
    layer = make("DenseFlipout")
    x = np.random.default_rng(0).normal(size=(6, 5)).astype("float32")
    kernels = np.random.default_rng(1).normal(size=(2, 5, 4)).astype("float32")
    expected = np.concatenate([x[:3] @ kernels[0], x[3:] @ kernels[1]])
    np.testing.assert_allclose(layer.stacked(tf.constant(x), tf.constant(kernels)),
                               expected, atol=1e-5)
