"""Tests of the ranked images."""

import io

import numpy as np
import pytest

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.reports import canvas, ranked_images

# Draws of class 1 for four rows. Votes for the lesser class: 0, 1, 2, 0 of 4;
# rows 0 and 3 tie, and row 3 is the more certain of the two.
DRAWS = np.array([[0.7, 0.7, 0.9, 0.99], [0.7, 0.7, 0.9, 0.99],
                  [0.7, 0.7, 0.1, 0.99], [0.7, 0.3, 0.1, 0.99]])
PREDICTION = ClassPrediction(np.log(np.stack([1 - DRAWS, DRAWS], axis=-1)))
IMAGES = np.arange(4.0)[:, None, None, None] / 4 * np.ones((4, 5, 5, 1))
LABELS = np.array([1, 0, 1, 1])


def _shown(figure):
    """Which image each one is, in order."""
    return [round(a.images[0].get_array()[0, 0] * 4) for a in figure.axes if a.images]


def _bars(figure):
    return [axes for axes in figure.axes if not axes.images]


def _rendered(figure):
    figure.savefig(io.BytesIO(), format="png", dpi=40)


def test_ends_come_in_order_and_entropy_breaks_ties():
    assert _shown(ranked_images(IMAGES, PREDICTION, LABELS, 3)) == [2, 1, 0, 3, 0, 1]


def test_one_end_can_be_drawn_alone():
    assert _shown(ranked_images(IMAGES, PREDICTION, LABELS, 2,
                                ends=("least",))) == [3, 0]


def test_another_measure_ranks():
    shown = _shown(ranked_images(IMAGES, PREDICTION, LABELS, by="expected_entropy"))
    assert shown[4:] == np.lexsort([PREDICTION.predictive_entropy,
                                    PREDICTION.expected_entropy]).tolist()
    assert shown[:4] == shown[:3:-1]


def test_bars_are_mean_probabilities_from_the_likeliest_down():
    [axes] = _bars(ranked_images(IMAGES, PREDICTION, LABELS, 1, ends=("least",),
                                 class_names=("no", "yes")))
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([0.99, 0.01])
    assert [t.get_text() for t in axes.get_yticklabels()] == ["yes", "no"]


def test_dots_are_draws_beside_their_bars():
    [axes] = _bars(ranked_images(IMAGES, PREDICTION, LABELS, 1, ends=("most",)))
    x, y = axes.lines[0].get_data()
    upper = np.abs(y) < 0.4  # About the first bar, of class 0 or 1.
    np.testing.assert_allclose(np.sort(x[upper]), [0.1, 0.1, 0.9, 0.9], atol=1e-6)
    assert len(x) == 8 and len(np.unique(y)) == 8


def test_one_draw_has_no_dots():
    single = ClassPrediction(PREDICTION.log_probs[:1])
    assert not any(a.lines for a in _bars(ranked_images(IMAGES, single, LABELS)))


def test_wrong_predictions_are_said_and_coloured():
    axes = _bars(ranked_images(IMAGES, PREDICTION, LABELS, 2))
    titles = [(a.get_title(loc="left"), a._left_title.get_color()) for a in axes]
    assert titles[1] == ("true 0, wrong", canvas.RED)
    assert titles[2:] == [("true 1, right", "black")] * 2


def test_true_class_is_shown_however_unlikely():
    log_probs = np.log([[[0.5, 0.2, 0.1, 0.1, 0.08, 0.02]]])
    [axes] = _bars(ranked_images(IMAGES[:1], ClassPrediction(log_probs), [5], 1,
                                 ends=("most",)))
    assert [t.get_text() for t in axes.get_yticklabels()] == ["0", "1", "2", "5"]


def test_names_are_drawn_as_they_are():
    """Dollars would be formulas: this one cannot be parsed."""
    names = ("$\\frac{$_a", "_ a very long name indeed, of a class")
    figure = ranked_images(IMAGES, PREDICTION, LABELS, 1, class_names=names)
    _rendered(figure)
    words = [t.get_text() for t in _bars(figure)[0].get_yticklabels()]
    assert "$\\frac{$_a" in words and "_ a very long n…" in words


@pytest.mark.parametrize("low, high", [(-1, 1), (0, 255), (-3.5, 2)])
def test_any_range_is_brought_to_zero_and_one(low, high):
    ramp = np.linspace(low, high, 4 * 25 * 3).reshape(4, 5, 5, 3)
    figure = ranked_images(ramp, PREDICTION, LABELS, 4, ends=("most",))
    drawn = [a.images[0].get_array() for a in figure.axes if a.images]
    assert np.min(drawn) == 0 and np.max(drawn) == pytest.approx(1)
    _rendered(figure)


def test_pixels_that_are_no_numbers_and_odd_channels_are_drawn():
    images = np.full((4, 5, 5, 2), 0.5, "float32")
    images[0, 0, 0], images[1, 1, 1] = np.nan, np.inf
    figure = ranked_images(images, PREDICTION, LABELS, 4, ends=("most",))
    for axes in figure.axes:
        for image in axes.images:
            # Matplotlib would leave holes, masked.
            assert not np.ma.getmaskarray(image.get_array()).any()
            assert image.get_array().shape == (5, 5)


def test_count_is_cut_to_the_images_there_are():
    assert len(_shown(ranked_images(IMAGES, PREDICTION, LABELS))) == 8


def test_unknown_measure_is_refused():
    with pytest.raises(ValueError, match="Received: by='doubt'"):
        ranked_images(IMAGES, PREDICTION, LABELS, by="doubt")
