"""Embedding dropout drops words: all occurrences share their fate (T11.4)."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import layers
from bdlzoo.core import noise
from bdlzoo.families import weight_prior
from bdlzoo.surgery import conversion

WORDS = 1000


def _network(rate=0.25, **options):
    keras.utils.set_random_seed(0)
    layer = layers.EmbeddingDropout(WORDS, 3, rate, embeddings_initializer="ones",
                                    **options)
    network = keras.Sequential([keras.Input((None,), dtype="int32"), layer])
    conversion.adopt(network)
    return network


def _draw(network, words, seed=0, **scope):
    with noise.draws(noise.key(seed), **scope):
        return network(words).numpy()


def test_all_positions_of_a_word_share_its_fate_and_kept_ones_are_scaled():
    words = np.random.default_rng(0).integers(0, 20, (30, 200))
    vectors = _draw(_network(), words)
    assert np.ptp(vectors, axis=-1).max() == 0
    for row, fates in zip(words, vectors[..., 0]):
        for word in set(row):
            assert len(set(fates[row == word])) == 1
    np.testing.assert_allclose(sorted(set(vectors.ravel())), [0, 4 / 3], rtol=1e-6)


def test_words_are_dropped_at_the_rate_and_apart_from_each_other():
    words = np.tile(np.arange(WORDS), (100, 1))
    kept = _draw(_network(), words)[..., 0] > 0
    assert abs(kept.mean() - 0.75) < 0.005
    correlations = np.corrcoef(kept.astype(float)) - np.eye(100)  # Of rows,
    assert np.abs(correlations).max() < 0.2
    correlations = np.corrcoef(kept[:, :50].T.astype(float)) - np.eye(50)  # of words.
    assert np.abs(correlations).max() < 0.5
    np.testing.assert_allclose(kept.sum(1).std(), np.sqrt(WORDS * 0.1875), rtol=0.25)


def test_coherent_draw_drops_the_same_words_in_all_rows_and_others_next_time():
    words = np.tile(np.arange(WORDS), (2, 1))
    network = _network()
    first, second = _draw(network, words, coherent=True)
    np.testing.assert_array_equal(first, second)
    other = _draw(network, words, seed=1, coherent=True)[0]
    assert abs(np.corrcoef(first[:, 0], other[:, 0])[0, 1]) < 0.1
    alone = _draw(network, words[:1, 300:], coherent=True)[0]
    np.testing.assert_array_equal(alone, first[300:])


def test_nothing_is_dropped_outside_of_a_scope_or_at_rate_zero():
    words = np.arange(WORDS)[None]
    np.testing.assert_array_equal(_network()(words), np.ones((1, WORDS, 3)))
    plain = _network(0.0)
    np.testing.assert_array_equal(_draw(plain, words), np.ones((1, WORDS, 3)))
    assert conversion.stochastic_layers(plain) == []
    assert conversion.stochastic_layers(_network())
    with pytest.raises(ValueError, match="below 1. Received: rate=1.0"):
        _network(1.0)


def test_padding_is_masked_and_draws_are_compiled():
    network = _network(mask_zero=True)
    words = tf.constant([[3, 5, 3, 0, 0]])
    np.testing.assert_array_equal(network.layers[0].compute_mask(words), words != 0)

    @tf.function(jit_compile=True)
    def compiled(key):
        with noise.draws(key):
            return network(words)

    np.testing.assert_array_equal(compiled(noise.key(0)), _draw(network, words))


def test_prior_of_the_table_is_weighed_by_the_rate_and_not_the_next_kernel():
    network = keras.Sequential([_network(), keras.layers.LSTM(2)])
    network.build((None, None))
    shares = weight_prior.kept_shares(network)
    assert shares == [0.75, 1.0, 1.0, 1.0]
