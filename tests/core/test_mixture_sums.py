"""Sums over parts of the draws of a mixture are those of all draws."""

import functools

import numpy as np
import scipy.stats
import tensorflow as tf

from bdlzoo.core.mixture_sums import NODES, MixtureSummary, MixtureSums

RNG = np.random.default_rng(0)
MEANS = (5.0 + RNG.normal(size=(7, 3, 2))).astype("float32")
VARIANCES = RNG.uniform(0.5, 2.0, size=(7, 3, 2)).astype("float32")


def _summary(size):
    pilot = MixtureSums.of(MEANS[:4], VARIANCES[:4], tf.ones([4]))
    parts = []
    for first in range(0, 7, size):
        places = np.arange(first, first + size)
        rows = np.minimum(places, 6)
        parts.append(MixtureSums.of(MEANS[rows], VARIANCES[rows], places < 7, pilot))
    start = parts[0].cleared()
    sums = functools.reduce(MixtureSums.merged, parts, start)
    return sums.summary(pilot, tf.float32, 7)


def test_moments_are_those_of_all_draws():
    for size in (2, 7):
        summary = _summary(size)
        np.testing.assert_allclose(summary.mean, MEANS.mean(0), rtol=1e-6)
        np.testing.assert_allclose(summary.epistemic, MEANS.var(0), rtol=2e-6)
        np.testing.assert_allclose(summary.aleatoric, VARIANCES.mean(0), rtol=1e-6)


def test_tails_and_densities_are_exact_at_the_nodes():
    summary = _summary(3)
    nodes = summary.centre[..., None] + summary.scale[..., None] * NODES
    each = scipy.stats.norm(MEANS[..., None], np.sqrt(VARIANCES)[..., None])
    below, above = each.cdf(nodes).mean(0), each.sf(nodes).mean(0)
    np.testing.assert_allclose(summary.tails, np.where(NODES > 0, above, below),
                               rtol=1e-3, atol=1e-7)
    density = each.pdf(nodes).mean(0) * summary.scale.numpy()[..., None]
    np.testing.assert_allclose(summary.densities, density, rtol=1e-3, atol=1e-7)


def test_frame_is_that_of_the_pilot():
    summary = _summary(3)
    np.testing.assert_allclose(summary.centre, MEANS[:4].mean(0), rtol=1e-6)
    np.testing.assert_allclose(
        summary.scale**2, MEANS[:4].var(0) + VARIANCES[:4].mean(0), rtol=1e-5)


def test_rows_are_taken_joined_and_flattened():
    summary = _summary(7)
    both = MixtureSummary.joined([summary.rows(slice(1)), summary.rows(slice(1, 3))])
    map_of = MixtureSummary(*(part[None] for part in summary[:-1]), 7)
    for whole, joined, flat in zip(summary[:-1], both, map_of.flat()):
        np.testing.assert_array_equal(joined, whole)
        np.testing.assert_array_equal(flat, whole)
