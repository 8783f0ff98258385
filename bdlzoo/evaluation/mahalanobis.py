"""Mahalanobis distance between the features of an input and the nearest class.

    score(x) = min over c of (f(x) - m_c)' C^-1 (f(x) - m_c)
    m_c      = mean of the features of class c
    C        = mean over all rows of (f - m_y) (f - m_y)'

Features are the inputs of the last layer, in the network without noise. All classes
share `C`. The features are divided by their standard deviations before `C` is
inverted, so that a feature with large numbers does not count more. Directions in which
the training rows do not vary (dead features, copies) have no scale and are left out.

Reference: Lee et al., A Simple Unified Framework for Detecting
Out-of-Distribution Samples and Adversarial Attacks, NeurIPS 2018.
"""

import numpy as np
import tensorflow as tf

from bdlzoo.core.batches import check_finite
from bdlzoo.surgery import memory
from bdlzoo.surgery.encoder import Encoder

_LEAST = 1e-10  # Share of the largest variance below which there is only rounding.


class Mahalanobis:
    """Scores inputs; the score is high if they are far from all classes.

    Args:
        model: `PredictiveModel` with a functional or Sequential network.
        x: Training inputs `[N, ...]`.
        y: Classes `[N]` of these inputs.

    Call arguments:
        x: Inputs `[N, ...]`.

    Returns:
        Float64 array `[N]` of squared distances.

    Example:

        scores = Mahalanobis(model, train.x, train.y)(x)
    """

    def __init__(self, model, x, y):
        classes, labels = np.unique(np.ravel(y), return_inverse=True)
        if len(labels) != len(x):
            raise ValueError("Expected one class for each input. Received: "
                             f"{len(x)} inputs, {len(labels)} classes")
        model.build_once(x[:1])
        self._encoder = tf.function(Encoder(model.network), reduce_retracing=True)
        self._row_bytes, _ = memory.needs(model.network)
        features = self._features(x)
        means = np.stack([features[labels == label].mean(axis=0)
                          for label in range(len(classes))])  # [C, F]
        centred = features - means[labels]
        self._whitening = _whitening(centred, np.abs(features).max(axis=0))
        self._means = means @ self._whitening  # [C, R]

    def __call__(self, x):
        from scipy.spatial import distance
        points = self._features(x) @ self._whitening  # [N, R]
        return distance.cdist(points, self._means, "sqeuclidean").min(axis=1)

    def _features(self, x):
        x = np.asarray(x, "float32")
        check_finite(x)
        rows = max(1, memory.BUDGET // self._row_bytes)
        features = np.concatenate([
            self._encoder(tf.constant(x[start:start + rows]))
            for start in range(0, len(x), rows)])
        if features.ndim != 2:
            raise ValueError("Expected one row of features per input. Received: "
                             f"features of shape {features.shape[1:]}")
        return features.astype("float64")


def _whitening(centred, sizes):
    """Matrix `[F, R]` that maps features to R uncorrelated ones of variance 1."""
    scales = centred.std(axis=0)
    # A constant feature has a small standard deviation by rounding.
    alive = scales > 1e-6 * sizes
    if not alive.any():
        raise ValueError("Expected features that vary within a class: give more "
                         f"rows. Received: {len(scales)} features that are constant")
    units = centred[:, alive] / scales[alive]
    variances, directions = np.linalg.eigh(units.T @ units / len(units))
    kept = variances > _LEAST * variances[-1]
    whitening = np.zeros([len(scales), kept.sum()])
    whitening[alive] = (directions[:, kept] / np.sqrt(variances[kept])
                        / scales[alive, None])
    return whitening
