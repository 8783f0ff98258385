"""Concrete dropout of channels: one mask a channel, channels in the KL."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.layers import SpatialConcreteDropout
from bdlzoo.surgery import conversion

KEY = noise.key(0, noise.PREDICT)


def _network(shape, **kwargs):
    network = keras.Sequential(
        [keras.Input(shape), SpatialConcreteDropout(**kwargs)])
    conversion.adopt(network)
    return network


def _draw(network, x, coherent=False):
    with noise.draws(KEY, coherent=coherent):
        return np.asarray(network(x, training=False))


@pytest.mark.parametrize("shape, data_format, places", [
    ((40,), "channels_last", ()),
    ((5, 40), "channels_last", (1,)),
    ((4, 5, 40), "channels_last", (1, 2)),
    ((40, 4, 5), "channels_first", (2, 3)),
    ((2, 3, 4, 40), "channels_last", (1, 2, 3)),
    ((40, 2, 3, 4), "channels_first", (2, 3, 4))])
def test_a_channel_has_one_mask_in_every_place(shape, data_format, places):
    network = _network(shape, rate=0.5, tau=0.01, data_format=data_format)
    sample = _draw(network, np.ones((20, *shape), "float32"))
    channels = sample.mean(axis=places)  # [B, C]
    np.testing.assert_array_equal(np.ptp(sample, axis=places) if places else 0, 0)
    # Half of the channels of a row are on, at twice their height.
    assert abs((channels > 1).mean() - 0.5) < 0.1
    assert abs(np.corrcoef(channels[0], channels[1])[0, 1]) < 0.5
    assert len(np.unique(channels.round(2), axis=0)) == 20
    entropy = np.log(2.0)
    np.testing.assert_allclose(network.layers[0].kl(), -40 * entropy, rtol=1e-6)


def test_coherent_rows_share_their_masks():
    network = _network((4, 5, 40), rate=0.5)
    sample = _draw(network, np.ones((3, 4, 5, 40), "float32"), coherent=True)
    np.testing.assert_array_equal(sample[0], sample[2])
    assert np.ptp(sample[0]) > 0.5


def test_convolution_without_pixels_to_spare_has_the_moments_of_its_masks():
    """One output pixel: p / (1 - p) * sum over channels of its part squared."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 3, 3, 6)).astype("float32")
    kernel = rng.normal(size=(3, 3, 6)).astype("float32")
    network = _network((3, 3, 6), rate=0.3, tau=0.01)
    sample = _draw(network, np.repeat(x, 40_000, axis=0))
    outputs = np.einsum("bhwc,hwc->b", sample, kernel)
    parts = np.einsum("hwc,hwc->c", x[0], kernel)
    variance = 0.3 / 0.7 * (parts**2).sum()
    assert abs(outputs.mean() - parts.sum()) < 4 * np.sqrt(variance / 40_000)
    np.testing.assert_allclose(outputs.var(), variance, rtol=0.05)


def test_batches_and_sides_may_be_unknown():
    network = _network((None, None, 40), rate=0.5)
    draw = tf.function(
        lambda x: _in_scope(network, x),
        input_signature=[tf.TensorSpec((None, None, None, 40))])
    assert draw(tf.ones((2, 3, 5, 40))).shape == (2, 3, 5, 40)


def _in_scope(network, x):
    with noise.draws(KEY):
        return network(x, training=False)


def test_file_round_trip_keeps_the_channels(tmp_path):
    network = _network((40, 2, 2), data_format="channels_first", tau=0.3)
    network.save(tmp_path / "network.keras")
    [layer] = keras.saving.load_model(tmp_path / "network.keras").layers
    assert (layer.data_format, layer.tau) == ("channels_first", 0.3)
    assert SpatialConcreteDropout().tau == pytest.approx(2 / 3)
    assert SpatialConcreteDropout().data_format == "channels_last"


def test_unknown_format_is_refused():
    with pytest.raises(ValueError, match="data_format='channels'"):
        SpatialConcreteDropout(data_format="channels")
