"""Rows of a last layer, their curvature written out, and covariances of draws."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise

RNG = np.random.default_rng(0)
INPUTS, OUTPUTS, ROWS = 4, 3, 12
FEATURES = RNG.normal(size=(ROWS, INPUTS)).astype("float32")
PROBS = RNG.dirichlet(np.ones(OUTPUTS), ROWS).astype("float32")
WEIGHTS = RNG.uniform(0.5, 2.0, ROWS).astype("float32")
COUNT, PRECISION = 40.0, 1.5


def filled(kind, d=PROBS, s=PROBS, weights=WEIGHTS, coupled=True, shape=None):
    """A posterior that has seen the rows in two parts."""
    posterior = kind(shape or (INPUTS, OUTPUTS), coupled)
    posterior.build()
    for part in (slice(0, 5), slice(5, ROWS)):
        posterior.add(posterior.sums_of_rows(*map(tf.constant, (
            FEATURES[part], d[part], s[part], weights[part]))),
            float(len(FEATURES[part])), float(part.stop))
    return posterior


def settled(posterior, count=COUNT, precision=PRECISION):
    posterior.decompose()
    posterior.settle(count, precision)
    return posterior


def matrix(d=PROBS, s=PROBS, weights=WEIGHTS):
    """Mean curvature `[I O, I O]` in the order of a kernel."""
    bends = np.stack([np.diag(a) for a in d]) - s[:, :, None] * s[:, None]
    whole = np.einsum("b,bi,bj,bop->iojp", weights, FEATURES, FEATURES, bends)
    return whole.reshape(INPUTS * OUTPUTS, -1).astype("float64") / ROWS


def covariance(curvature, count=COUNT, precision=PRECISION):
    return np.linalg.inv(count * curvature + precision * np.eye(len(curvature)))


def draw_covariance(posterior, monkeypatch):
    """The exact covariance of draws, from draws of unit vectors."""
    size = int(np.prod(posterior.shape))
    columns = []
    for unit in np.eye(size, dtype="float32"):
        monkeypatch.setattr(noise, "normal", lambda shape, key, unit=unit: tf.reshape(
            tf.constant(unit), shape))
        columns.append(np.ravel(posterior.drawing()(None)))
    root = np.stack(columns, axis=1)
    return root @ root.T


def output_moments(covariance):
    """Variances of the outputs of the rows, and covariances with their sum."""
    each = covariance.reshape(INPUTS, OUTPUTS, INPUTS, OUTPUTS)
    outputs = np.einsum("bi,iojp,bj->bop", FEATURES, each, FEATURES)
    return np.diagonal(outputs, axis1=1, axis2=2), outputs.sum(axis=2)
