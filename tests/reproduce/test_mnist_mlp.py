"""Tests of the perceptron of the baseline, on the digits."""

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.metrics import ranking
from tools.reproduce import mnist_mlp

SMALL = dict(name="digits", epochs=30, hidden=(32, 32))
MODEL = (0, "digits", 30, (32, 32), 0)


def test_the_network_starts_and_decays_as_in_the_notebook():
    network = mnist_mlp.network((28, 28, 1))
    kernels = [w.numpy() for w in network.trainable_variables if len(w.shape) == 2]
    assert [k.shape for k in kernels] == [(784, 256), (256, 256), (256, 256),
                                          (256, 10)]
    for kernel, variance in zip(kernels, (1.425, 0.85, 0.85, 1.425)):
        np.testing.assert_allclose(np.linalg.norm(kernel, axis=0),
                                   variance ** -0.5, rtol=1e-5)
    assert abs(np.corrcoef(kernels[1].ravel(), kernels[2].ravel())[0, 1]) < 0.02
    half = sum(np.sum(kernel**2) / 2 for kernel in kernels[:3])
    np.testing.assert_allclose(sum(network.losses), 1e-5 * half, rtol=1e-5)
    x = np.linspace(-3, 3, 7, dtype="float32")
    tanh = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    np.testing.assert_allclose(network.layers[1].activation(x), tanh, atol=1e-6)


def test_a_model_is_trained_once_a_seed_and_its_rate_falls():
    model = mnist_mlp.trained(*MODEL)
    before = mnist_mlp.trained.cache_info().misses
    mnist_mlp.run(**SMALL)
    assert mnist_mlp.trained(*MODEL) is model
    assert mnist_mlp.trained.cache_info().misses == before
    rate = model.optimizer._learning_rate
    steps = -(-len(data.load("digits", validation=0).x) // 128)
    np.testing.assert_allclose([rate(20 * steps - 1), rate(20 * steps)],
                               [1e-3, 1e-4])
    assert int(model.optimizer.iterations) == 30 * steps


def test_rows_that_are_wrong_are_found_among_the_unsure_ones():
    found = mnist_mlp.run(**SMALL)
    test = data.load("digits", "test", validation=0)
    probs = keras.ops.softmax(mnist_mlp.trained(*MODEL).network(test.x))
    probs = probs.numpy().astype("float64")
    errors = probs.argmax(-1) != test.y
    assert 0 < found["error"] == errors.mean() < 0.3
    np.testing.assert_allclose(
        found["auroc"], ranking.auroc(probs.max(-1), ~errors), atol=1e-3)
    entropy = -np.sum(probs * np.log(probs), -1)
    np.testing.assert_allclose(found["ap_errors_entropy"],
                               ranking.ap_errors(errors, -entropy), atol=1e-3)
    assert found["ap_success"] > 1 - found["error"]
    assert found["ap_errors"] > found["error"] and found["auroc"] > 0.7
