"""What discrete density models share: the law of codes, and their networks."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.methods import DiscreteVAE, StructuredVAE
from bdlzoo.networks import MLP


def _model():
    keras.utils.set_random_seed(0)
    model = DiscreteVAE(MLP((4,), (), 6), MLP((6,), (), 4), 2, 3, seed=0)
    model.build((None, 4))
    return model


def test_draws_have_the_probabilities_of_the_potentials():
    model = _model()
    potentials = tf.constant([[[1.0, 0.0, -1.0], [0.0, 2.0, 0.0]]])
    table = model.unit_noise([20_000, 1, 2, 3], noise.key(0))
    codes = model.codes((potentials,), table).numpy()
    np.testing.assert_allclose(codes.mean(axis=0), tf.nn.softmax(potentials), atol=0.02)
    np.testing.assert_array_equal(codes.sum(axis=-1), 1.0)


def test_kl_and_ratio_are_those_of_the_uniform_prior():
    model = _model()
    even, sure = tf.zeros([1, 2, 3]), tf.constant([[[50.0, 0.0, 0.0]] * 2])
    np.testing.assert_allclose(model.kl((even,)), [0.0], atol=1e-6)
    np.testing.assert_allclose(model.kl((sure,)), [2 * np.log(3.0)], rtol=1e-5)
    code = tf.one_hot([[0, 0]], 3)
    np.testing.assert_allclose(model.log_ratio((even,), code), [0.0], atol=1e-6)
    np.testing.assert_allclose(model.log_ratio((sure,), code), [-2 * np.log(3.0)],
                               rtol=1e-5)


def test_served_codes_are_values():
    model = _model()
    function, [spec] = model.endpoints()["decode"]
    assert (spec.name, spec.shape, spec.dtype) == ("code", [None, 2], tf.int32)
    codes = np.array([[0, 2], [1, 1]], "int32")
    np.testing.assert_allclose(function(tf.constant(codes))["samples"],
                               model.decode(np.eye(3, dtype="float32")[codes]))
    for wrong in ([[0, 3]], [[-1, 0]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="from 0 to 2"):
            function(tf.constant(wrong, tf.int32))


def test_networks_of_a_config_have_the_sizes_of_the_code():
    sizes = DiscreteVAE.network_arguments(
        {"method": {"num_variables": 4, "num_values": 3}}, (2, 5))
    assert sizes == {"encoder": {"input_shape": (2, 5), "outputs": 12},
                     "decoder": {"input_shape": (12,), "outputs": 10}}
    pairs = StructuredVAE.network_arguments({"method": {"num_variables": 4}}, (2, 5))
    assert pairs["encoder"]["outputs"] == 8 + 6
    assert pairs["decoder"]["input_shape"] == (8,)
