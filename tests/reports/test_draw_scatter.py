"""Tests of the scatter of draws."""

import numpy as np

from bdlzoo.reports import draw_scatter

RNG = np.random.default_rng(0)
DRAWS = RNG.normal(size=(6, 4, 5))  # [S, B, C]
# One loud draw for class 0, five for class 1: mean logits would choose wrongly.
DRAWS[:, 0] = np.array([[20, 0, 0, 0, 0]] + [[0, 3, 0, 0, 0]] * 5)
IMAGES = RNG.uniform(size=(4, 8, 8, 1))


def _panels():
    figure = draw_scatter(DRAWS, IMAGES, classes=[1, 3])
    inputs, outputs, left, right = figure.axes
    return figure, inputs, outputs, left, right


def _heights(axes):
    """Heights of the dashes, `[class, S, B]`."""
    segments = np.array([c.get_segments() for c in axes.collections])
    np.testing.assert_array_equal(segments[..., 0, 1], segments[..., 1, 1])
    return segments[..., 0, 1].reshape(2, *DRAWS.shape[:2])


def test_a_dash_is_a_draw_of_the_softmax_input():
    _, inputs, _, _, _ = _panels()
    np.testing.assert_allclose(
        _heights(inputs), [DRAWS[..., 1], DRAWS[..., 3]])
    assert inputs.get_ylabel() == "Softmax input"


def test_a_dash_is_a_draw_of_the_softmax_output():
    _, _, outputs, _, _ = _panels()
    softmax = np.exp(DRAWS) / np.exp(DRAWS).sum(-1, keepdims=True)
    np.testing.assert_allclose(
        _heights(outputs), [softmax[..., 1], softmax[..., 3]])
    assert outputs.get_ylabel() == "Softmax output"


def test_dashes_stand_over_their_image():
    _, inputs, _, left, _ = _panels()
    for dashes in inputs.collections:
        x = np.mean(np.array(dashes.get_segments())[..., 0], axis=1)
        np.testing.assert_array_equal(np.round(x), np.tile(range(4), 6))
    centres = [np.mean(image.get_extent()[:2]) for image in left.images]
    np.testing.assert_allclose(centres, range(4), atol=1e-12)


def test_images_and_their_predictions_stand_beneath_both_panels():
    softmax = np.exp(DRAWS) / np.exp(DRAWS).sum(-1, keepdims=True)
    predicted = [str(c) for c in softmax.mean(0).argmax(-1)]
    assert predicted[0] == "1"
    _, _, _, left, right = _panels()
    for strip in (left, right):
        assert len(strip.images) == 4
        np.testing.assert_allclose(strip.images[2].get_array(), IMAGES[2, ..., 0])
        assert [t.get_text() for t in strip.get_xticklabels()] == predicted


def test_legend_names_the_classes():
    figure, *_ = _panels()
    [legend] = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == ["class 1", "class 3"]


def test_large_logits_do_not_overflow():
    figure = draw_scatter(1e4 * DRAWS, IMAGES, classes=[1, 3])
    assert np.isfinite(_heights(figure.axes[1])).all()
