"""Tests of the ranked images."""

import numpy as np
import pytest

from bdlzoo.core.prediction import ClassPrediction
from bdlzoo.reports import ranked_images

# Draws of class 1 for four rows. Votes for the lesser class: 0, 1, 2, 0 of 4;
# rows 0 and 3 tie, and row 3 is the more certain of the two.
DRAWS = np.array([[0.7, 0.7, 0.9, 0.99], [0.7, 0.7, 0.9, 0.99],
                  [0.7, 0.7, 0.1, 0.99], [0.7, 0.3, 0.1, 0.99]])
PREDICTION = ClassPrediction(np.log(np.stack([1 - DRAWS, DRAWS], axis=-1)))
IMAGES = np.arange(4.0)[:, None, None, None] / 4 * np.ones((4, 5, 5, 1))
LABELS = np.array([1, 0, 1, 1])


def _rows(figure):
    """For each image, in order: which one it is, and the words beneath."""
    axes = figure.axes
    shown = [int(a.images[0].get_array()[0, 0] * 4) for a in axes]
    return shown, [a.get_xlabel() for a in axes]


def test_rows_go_from_both_ends_and_entropy_breaks_ties():
    shown, _ = _rows(ranked_images(IMAGES, PREDICTION, LABELS, count=3))
    assert shown == [2, 1, 0, 3, 0, 1]


def test_labels_and_score_stand_beneath():
    shown, words = _rows(ranked_images(IMAGES, PREDICTION, LABELS, count=2))
    assert shown == [2, 1, 3, 0]
    assert words[1] == "true 0\npred. 1\n(0.25)"
    assert words[2] == "true 1\npred. 1\n(0.00)"


def test_wrong_predictions_are_coloured():
    figure = ranked_images(IMAGES, PREDICTION, LABELS, count=2)
    colours = [axes.xaxis.label.get_color() for axes in figure.axes]
    assert colours[1] != "black" and colours[2:] == ["black"] * 2


def test_another_measure_ranks():
    shown, _ = _rows(ranked_images(IMAGES, PREDICTION, LABELS, count=4,
                                   by="expected_entropy"))
    entropy = PREDICTION.expected_entropy
    assert shown[4:] == np.lexsort([PREDICTION.predictive_entropy,
                                    entropy]).tolist()
    assert shown[:4] == shown[:3:-1]


def test_count_is_cut_to_the_images_there_are():
    assert len(ranked_images(IMAGES, PREDICTION, LABELS).axes) == 8


def test_unknown_measure_is_refused():
    with pytest.raises(ValueError, match="Received: by='doubt'"):
        ranked_images(IMAGES, PREDICTION, LABELS, by="doubt")
