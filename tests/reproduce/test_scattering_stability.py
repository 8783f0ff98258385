"""Bends of images, and what they do to features."""

import numpy as np
import pytest

from tools.reproduce import scattering_stability as stability

RNG = np.random.default_rng(0)


def test_bends_have_the_gradient_that_they_are_told():
    tau = stability.bend((28, 28), 0.1, 0)
    steps = [np.abs(np.diff(tau, axis=axis)).max() for axis in (1, 2)]
    assert max(steps) == pytest.approx(0.1)
    assert stability.deformation(tau) == pytest.approx(0.1 + np.abs(tau).max() / 4)
    image = RNG.uniform(size=(28, 28, 1)).astype("float32")
    np.testing.assert_allclose(stability.moved(image, 0 * tau), image, atol=1e-6)
    ahead = stability.moved(image, np.stack([np.ones((28, 28)), np.zeros((28, 28))]))
    np.testing.assert_allclose(ahead[1:], image[:-1], atol=1e-6)


def test_nystrom_is_the_kernel_among_its_anchors():
    """Features of anchors have the kernel as their inner products."""
    anchors = RNG.normal(size=(6, 9))
    anchors /= np.linalg.norm(anchors, axis=1, keepdims=True)
    exact = stability.kernel(anchors, anchors)
    values, vectors = np.linalg.eigh(exact + stability._JITTER * np.eye(6))
    features = exact @ (vectors / np.sqrt(values)) @ vectors.T
    np.testing.assert_allclose(features @ features.T, exact, atol=3e-3)
    assert np.diag(exact) == pytest.approx(1.0)
    images = RNG.uniform(size=(4, 8, 8, 1)).astype("float32")
    layers = stability.HierarchicalKernel(images, num_anchors=5)
    assert layers(images).shape == (4, 2, 2, 5)
    # Homogeneous: twice the contrast, twice the features.
    np.testing.assert_allclose(layers(2 * images), 2 * layers(images), rtol=1e-4)


def test_scattering_changes_less_than_pixels():
    options = dict(name="digits", num_images=10, num_train=20, num_anchors=8)
    found = {features: stability.run(features=features, **options)
             for features in ("scattering", "pixels", "kernel")}
    for metric in ("change_bent", "change_moved", "largest_ratio"):
        assert 0 < found["scattering"][metric] < found["pixels"][metric]
    assert found["kernel"]["change_bent"] > 0
    with pytest.raises(ValueError, match="features='words'"):
        stability.run(features="words")
