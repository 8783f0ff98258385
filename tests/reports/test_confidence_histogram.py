"""Tests of the histogram of confidences."""

import numpy as np
import pytest

from bdlzoo.reports.confidence_histogram import confidence_histogram


def _groups(figure):
    """Shares by the words of the legend."""
    [axes] = figure.axes
    return {patch.get_label(): patch.get_data().values for patch in axes.patches
            if patch.get_label()}


def test_shares_are_of_each_group_and_counts_are_named():
    groups = _groups(confidence_histogram(
        [False, False, True, False, False], [0.9, 0.6, 0.6, 0.95, 0.99], num_bins=2))
    assert list(groups) == ["right (4)", "wrong (1)"]
    np.testing.assert_allclose(groups["right (4)"], [0, 1])
    np.testing.assert_allclose(groups["wrong (1)"], [0, 1])


def test_bins_split_zero_to_one():
    groups = _groups(confidence_histogram(
        np.zeros(4), [0.1, 0.3, 0.35, 1.0000001], num_bins=4))
    np.testing.assert_allclose(groups["right (4)"], [0.25, 0.5, 0, 0.25])


@pytest.mark.parametrize("wrong, words", [
    (0, ["right (3)", "wrong (0)"]), (1, ["right (0)", "wrong (3)"])])
def test_all_right_or_all_wrong_leaves_a_named_empty_group(wrong, words):
    groups = _groups(confidence_histogram(np.full(3, wrong), [0.5, 0.7, 0.9]))
    assert list(groups) == words
    assert sorted(shares.sum() for shares in groups.values()) == pytest.approx([0, 1])


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="Received: 2 errors, 3 confidences"):
        confidence_histogram([0, 1], [0.5, 0.7, 0.9])
