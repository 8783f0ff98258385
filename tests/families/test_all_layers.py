"""All layers: slopes and patches against automatic derivatives of whole kernels."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families import output_curvature
from bdlzoo.families.all_layers import AllLayers
from bdlzoo.families.diagonal_posterior import DiagonalPosterior
from bdlzoo.families.kronecker_posterior import KroneckerPosterior
from bdlzoo.likelihoods import Categorical

X = np.random.default_rng(0).normal(size=(6, 5, 5, 2)).astype("float32")


def _network():
    return keras.Sequential([
        keras.Input((5, 5, 2)),
        keras.layers.Conv2D(3, 3, strides=2, padding="same", activation="tanh"),
        keras.layers.BatchNormalization(),
        keras.layers.Reshape((9, 3)),
        keras.layers.Conv1D(4, 2, dilation_rate=2, use_bias=False, activation="tanh"),
        keras.layers.Flatten(), keras.layers.Dense(5, activation="tanh"),
        keras.layers.Dense(3)])


def _jacobians(network, view):
    """Jacobians `[B, C, I, O]` of the outputs in each layer's weights."""
    found = []
    for layer in view.layers:
        parts = [layer.kernel.value, *([layer.bias.value] if layer.use_bias else [])]
        with tf.GradientTape() as tape:
            outputs = network(X, training=False)
        each = tape.jacobian(outputs, parts)
        found.append(np.concatenate([np.reshape(
            part, [6, 3, -1, layer.kernel.shape[-1]]) for part in each], axis=2))
    return found


def _settled(kind, view, run):
    posteriors = [kind(shape) for shape in view.shapes]
    d, s = output_curvature.terms(Categorical(), run[0])
    for posterior in posteriors:
        posterior.build()
    for posterior, sums in zip(posteriors, view.sums(posteriors, run, d, s,
                                                     tf.ones([6])), strict=True):
        posterior.add(sums, 6.0, 6.0)
        posterior.decompose()
        posterior.settle(20.0, 2.0)
    return posteriors, output_curvature.roots(d, s)


def test_diagonal_is_the_sum_of_squared_jacobians():
    network = _network()
    view = AllLayers(network)
    run = view.run(tf.constant(X))
    np.testing.assert_allclose(run[0], network(X, training=False), atol=1e-6)
    posteriors, roots = _settled(DiagonalPosterior, view, run)
    for posterior, jacobian in zip(posteriors, _jacobians(network, view), strict=True):
        products = np.einsum("kbc,bcio->kbio", roots, jacobian)
        np.testing.assert_allclose(posterior.spectrum(), (products**2).sum((0, 1)) / 6,
                                   rtol=1e-3, atol=1e-7)


@pytest.mark.parametrize("kind", [
    pytest.param(DiagonalPosterior, marks=pytest.mark.slow), KroneckerPosterior])
def test_moments_are_those_of_linearised_draws(kind):
    network = _network()
    view = AllLayers(network)
    run = view.run(tf.constant(X))
    posteriors, _ = _settled(kind, view, run)
    variance = with_sum = 0.0
    for posterior, jacobian in zip(posteriors, _jacobians(network, view), strict=True):
        spread = np.asarray(posterior.spread(tf.constant(jacobian)))
        outputs = np.einsum("bcio,bdio->bcd", spread, spread)
        variance = variance + np.diagonal(outputs, axis1=1, axis2=2)
        with_sum = with_sum + outputs.sum(axis=2)
    for found, wanted in zip(tf.function(lambda x: view.moments(
            posteriors, view.run(x)))(tf.constant(X)), (variance, with_sum)):
        np.testing.assert_allclose(found, wanted, rtol=1e-3)


def test_moved_outputs_follow_the_jacobian_and_then_the_network():
    network = _network()
    view = AllLayers(network)
    run = view.run(tf.constant(X))
    steps = [0.1 * noise.normal(shape, noise.key(place, noise.DIAGNOSE))
             for place, shape in enumerate(view.shapes)]
    linear = sum(np.einsum("bcio,io->bc", jacobian, step) for jacobian, step
                 in zip(_jacobians(network, view), steps, strict=True))
    np.testing.assert_allclose(view.moving(run, X)(steps) - run[0], linear, atol=1e-5)
    whole = view.moving(run, X, linear=False)(steps)
    for layer, step in zip(view.layers, steps):
        layer.set_weights([w + np.reshape(part, w.shape) for w, part in zip(
            layer.get_weights(), [step[:-1], step[-1]] if layer.use_bias else [step])])
    np.testing.assert_allclose(whole, network(X, training=False), atol=1e-6)


def test_what_it_cannot_do_is_refused():
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(2)

        def call(self, inputs):
            return self.dense(inputs)

    own = Own()
    own(X)
    with pytest.raises(ValueError, match="subclassed"):
        AllLayers(own)
    dense, source = keras.layers.Dense(4), keras.Input((4,))
    with pytest.raises(ValueError, match="2 calls of 1 such layers"):
        AllLayers(keras.Model(source, dense(dense(source))))
    wide = keras.Sequential([keras.Input((2,)), keras.layers.Dense(200)])
    with pytest.raises(ValueError, match="at most 128 outputs"):
        AllLayers(wide).run(tf.constant(X[:, 0, 0]))
