"""Gradients written by hand, and two optimisers for one step."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow_probability import distributions as tfd

import bdlzoo
from bdlzoo.core import noise
from bdlzoo.families import decay
from bdlzoo.families.decayed_model import DecayedModel

X = np.random.default_rng(0).normal(size=(20, 3)).astype("float32")
Y = np.arange(20) % 2
N, DECAY = 20.0, 3e-3
KEY = noise.key(5)


def _model(rate=1.0, scale_rate=1.0, weight_decay=DECAY, **options):
    """One layer with a posterior, one of points."""
    keras.utils.set_random_seed(0)
    network = keras.Sequential([
        keras.Input((3,)), keras.layers.Dense(4, name="first"),
        keras.layers.Dense(2, name="point")])
    twin = bdlzoo.bayesianize(network, "exemplar", select="first", verbose=False,
                              variational_bias=True, init_scale=0.2)
    model = DecayedModel(twin, seed=0, weight_decay=weight_decay, **options)
    model.compile(keras.optimizers.SGD(rate), keras.optimizers.SGD(scale_rate))
    model.build((None, 3))
    model.num_data.assign(N)
    return model


def _moved(model, gradients):
    """What a step of rate one takes off each weight: its gradient."""
    before = [v.numpy() for v in model.trainable_variables]
    model.update(gradients, KEY)
    return [old - v.numpy() for old, v in zip(before, model.trainable_variables)]


def _divergence(model, anchors, precision):
    """From N(anchor, 1 / precision), by TFP; of points, the energy."""
    first, point = model.network.layers
    pairs = ((first.kernel, first.kernel_rho), (first.bias, first.bias_rho))
    terms = [tf.reduce_sum(tfd.kl_divergence(
        tfd.Normal(tf.convert_to_tensor(mean), tf.exp(tf.convert_to_tensor(rho))),
        tfd.Normal(anchor, precision**-0.5)))
        for (mean, rho), anchor in zip(pairs, anchors)]
    terms += [precision * tf.nn.l2_loss(tf.convert_to_tensor(v) - anchor)
              for v, anchor in zip((point.kernel, point.bias), anchors[2:])]
    return tf.add_n(terms)


@pytest.mark.parametrize("at_trained", [False, True])
@pytest.mark.parametrize("prior_scale", [None, 0.7])
def test_step_is_the_gradient_of_nll_and_divergence_over_the_data(at_trained,
                                                                  prior_scale):
    model = _model(prior_at_trained=at_trained, prior_scale=prior_scale)
    anchors = [w.mean.numpy() if at_trained else 0.0
               for w in decay.weights(model.network)]
    for weight in decay.weights(model.network):  # Away from the start.
        weight.mean.assign_add(0.3 * tf.ones(weight.mean.shape))
    precision = DECAY * N if prior_scale is None else prior_scale**-2
    with tf.GradientTape(persistent=True) as tape:
        logs, _ = model.objective(X, Y, None, KEY)
        whole = logs["nll"] + _divergence(model, anchors, precision) / N
    np.testing.assert_allclose(logs["loss"], whole, rtol=1e-5)
    expected = tape.gradient(whole, model.trainable_variables)
    found = _moved(model, tape.gradient(logs["loss"], model.trainable_variables))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_without_data_scales_become_those_of_the_prior_and_means_zero():
    """psi goes to -log(decay N) / 2; at rates that halve the distance to it."""
    model = _model(0.5 / DECAY, N / 4)
    silent = [tf.zeros(v.shape) for v in model.trainable_variables]
    for _ in range(60):
        model.update(silent, KEY)
    for weight in decay.weights(model.network):
        np.testing.assert_allclose(weight.mean, 0.0, atol=1e-5)
        if weight.log_scale is not None:
            np.testing.assert_allclose(weight.log_scale, -0.5 * np.log(DECAY * N),
                                       atol=1e-4)


def test_each_group_has_its_optimiser():
    model = _model(0.0, 1.0)
    ones = [tf.ones(v.shape) for v in model.trainable_variables]
    moved = {v.path.split("/")[-1]: gap for v, gap in zip(
        model.trainable_variables, _moved(model, ones))}
    for name, gap in moved.items():
        assert np.any(gap) == name.endswith("_rho"), name
    assert model.optimizer.iterations == model.scale_optimizer.iterations == 1
    assert len(model.optimizer.variables) == len(model.scale_optimizer.variables)


def test_scaled_losses_move_both_groups_as_plain_ones():
    plain, scaled = _model(), _model()
    scaled.optimizer.loss_scale_factor = 64.0
    ones = [tf.ones(v.shape) for v in plain.trainable_variables]
    expected = _moved(plain, ones)
    found = _moved(scaled, [64.0 * one for one in ones])
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_weight_decay_of_an_optimiser_is_refused():
    model = _model()
    for name in ("optimizer", "scale_optimizer"):
        with pytest.raises(ValueError, match="give it to the model.*weight_decay=0.01"):
            model.compile(**{name: keras.optimizers.SGD(0.1, weight_decay=0.01)})


@pytest.mark.parametrize("options", [dict(weight_decay=0.0), dict(prior_scale=-1.0)])
def test_a_prior_that_is_none_is_refused(options):
    with pytest.raises(ValueError, match="above 0. Received: "):
        _model(**options)
