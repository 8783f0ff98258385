"""Scores of maps: what can be counted by hand, and what the maps must obey."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.evaluation import PixelMaps, evaluate, pixel_maps, segmentation_scores
from bdlzoo.evaluation.segmentation import accuracy_kept, border_ratio, borders
from bdlzoo.likelihoods import Categorical, StochasticLogits
from bdlzoo.methods import MCDropout
from bdlzoo.metrics import auroc
from bdlzoo.metrics.expected_calibration_error import ExpectedCalibrationError
from bdlzoo.surgery import memory

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(10, 7, 9, 2)).astype("float32")
Y = RANDOM.integers(0, 3, (10, 7, 9))


def _model(likelihood, outputs, rate=0.5):
    keras.utils.set_random_seed(0)
    network = keras.Sequential([
        keras.Input((7, 9, 2)), keras.layers.Conv2D(6, 3, padding="same"),
        keras.layers.Dropout(rate), keras.layers.Conv2D(outputs, 1)])
    model = MCDropout(network, likelihood, num_samples=5, seed=1)
    model.compile()
    model.build((None, 7, 9, 2))
    return model


@pytest.mark.parametrize("likelihood, outputs", [
    (Categorical(), 3), (StochasticLogits(), 4)])
def test_parts_add_up_and_streamed_maps_are_those_of_held_draws(
        monkeypatch, likelihood, outputs):
    model = _model(likelihood, outputs)
    whole = pixel_maps(model, X, Y, batch_size=10)
    np.testing.assert_allclose(whole.total, whole.aleatoric + whole.epistemic,
                               atol=1e-5)
    assert whole.epistemic.max() > 1e-3
    draws = np.array(likelihood.prediction(model.sample_outputs(X, seed=0)).log_probs)
    probs = np.exp(draws)
    mean = probs.mean(axis=0)
    np.testing.assert_allclose(whole.total, -(mean * np.log(mean)).sum(-1), atol=1e-5)
    np.testing.assert_allclose(
        whole.aleatoric, -(probs * draws).sum(-1).mean(axis=0), atol=1e-5)
    np.testing.assert_allclose(whole.log_prob, np.log(np.take_along_axis(
        mean, Y[..., None], -1))[..., 0], atol=1e-5)
    monkeypatch.setattr(memory, "BUDGET", 4 * 7 * 9 * outputs * 3)
    streamed = pixel_maps(_model(likelihood, outputs), X, Y, batch_size=4)
    for name, part in zip(whole._fields, whole):
        np.testing.assert_allclose(getattr(streamed, name), part, atol=1e-5,
                                   err_msg=name)


def test_without_dropout_there_is_no_epistemic_uncertainty():
    maps = pixel_maps(_model(StochasticLogits(), 4, rate=0.0), X)
    np.testing.assert_allclose(maps.epistemic, 0.0, atol=1e-6)
    assert maps.log_prob is None and maps.aleatoric.min() > 0


def test_maps_of_flipped_images_are_flipped_maps():
    """Where kernels are symmetric, and masks are of channels."""
    keras.utils.set_random_seed(0)
    network = keras.Sequential([
        keras.Input((7, 9, 2)), keras.layers.Conv2D(6, 3, padding="same"),
        keras.layers.SpatialDropout2D(0.5),
        keras.layers.Conv2D(4, 3, padding="same")])
    for layer in (network.layers[0], network.layers[-1]):
        layer.kernel.assign(layer.kernel + tf.reverse(layer.kernel, [1]))
    model = MCDropout(network, StochasticLogits(), num_samples=5, seed=1)
    model.build((None, 7, 9, 2))
    maps, flipped = pixel_maps(model, X), pixel_maps(model, X[:, :, ::-1])
    assert maps.epistemic.max() > 1e-3
    for name in ("total", "aleatoric", "epistemic"):
        np.testing.assert_allclose(getattr(flipped, name)[:, :, ::-1],
                                   getattr(maps, name), atol=1e-5)


@pytest.mark.slow
def test_served_maps_are_those_in_process(tmp_path):
    model = _model(StochasticLogits(), 4)
    path = model.export(tmp_path / "served")
    answer = tf.saved_model.load(str(path)).signatures["serving_default"](
        inputs=tf.constant(X))
    maps = pixel_maps(model, X, seed=model.seed)
    for name, key in (("total", "predictive_entropy"), ("label", "label"),
                      ("aleatoric", "expected_entropy"),
                      ("epistemic", "mutual_information")):
        np.testing.assert_allclose(answer[key], getattr(maps, name), atol=1e-5)


def _maps(label, **parts):
    doubt = RANDOM.random(label.shape)
    return PixelMaps(**{"label": label, "confidence": RANDOM.uniform(
        0.4, 1.0, label.shape), "total": doubt, "aleatoric": doubt,
        "epistemic": doubt, **parts})


def test_scores_leave_ignored_pixels_out():
    y = np.where(RANDOM.random(Y.shape) < 0.2, 9, Y)
    label = RANDOM.integers(0, 3, Y.shape)
    maps = _maps(label, log_prob=np.where(y == 9, 0.0, -RANDOM.random(Y.shape)))
    kept = y != 9
    found = segmentation_scores(maps, y, 3, ignore_class=9)
    assert found["accuracy"] == pytest.approx((label == y)[kept].mean())
    assert found["nll"] == pytest.approx(-maps.log_prob[kept].mean())
    parts = [((label == c) & (y == c)).sum()
             / ((label == c) & kept | (y == c)).sum() for c in range(3)]
    assert found["miou"] == pytest.approx(np.mean(parts))
    metric = ExpectedCalibrationError()
    probs = np.where(np.eye(3)[label] > 0, maps.confidence[..., None],
                     (1 - maps.confidence[..., None]) / 2)[kept]
    sure = probs.max(-1) == maps.confidence[kept]  # It may be below the others.
    metric.update_state(y[kept][sure], probs[sure])
    some = segmentation_scores(
        PixelMaps(*(part[kept][sure][None, :, None].repeat(4, 2) for part in maps)),
        y[kept][sure][None, :, None].repeat(4, 2), 3)
    assert some["ece"] == pytest.approx(float(metric.result()), abs=1e-5)


def test_accuracy_of_the_certain_pixels_by_hand():
    right = np.array([1, 1, 0, 1, 0], bool)
    doubt = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    np.testing.assert_allclose(accuracy_kept(doubt, right, [0.2, 0.6, 0.8, 1.0]),
                               [1.0, 2 / 3, 3 / 4, 3 / 5])
    # Without an order the share is that of all, whatever the order of the pixels.
    assert accuracy_kept(np.zeros(5), right, 0.4) == pytest.approx(0.6)


def test_borders_are_where_labels_change_and_the_rim_is_left_out():
    y = np.zeros((1, 8, 12), int)
    y[:, :, 6:] = 1
    np.testing.assert_array_equal(borders(y)[0].any(axis=0).nonzero()[0], [5, 6])
    doubt = np.where(borders(y), 6.0, 2.0)
    doubt[:, 0] = 1e6
    assert border_ratio(doubt, borders(y), np.ones_like(y, bool)) == 3.0
    assert np.isnan(border_ratio(doubt, np.zeros_like(y, bool), y == y))


def test_unknown_shapes_are_found_by_pixel_and_by_region():
    y = np.zeros((2, 12, 20), int)
    y[:, 2:6, 2:6], y[0, 2:6, 10:14], y[1, 7:11, 10:14] = 1, 255, 255
    unknown = y == 255
    doubt = np.where(unknown, 0.5, 0.1) + 0.001 * RANDOM.random(y.shape)
    doubt[0, 2, 2] = 9.0  # One pixel is no region.
    maps = _maps(np.zeros_like(y), epistemic=doubt, aleatoric=-doubt)
    found = segmentation_scores(maps, y, 2, ignore_class=255, unknown=unknown)
    assert found["auroc_epistemic"] == pytest.approx(auroc(doubt.ravel(),
                                                           unknown.ravel()))
    # 2 unknown regions, 4 known ones: the square with the pixel is above them.
    assert found["auroc_region_epistemic"] == pytest.approx(3 / 4)
    assert found["auroc_region_aleatoric"] == pytest.approx(1 / 4)
    # Of borders and insides, those that are known are compared.
    maps = _maps(np.zeros_like(y), aleatoric=np.where(unknown, 99.0, np.where(
        borders(y), 6.0, 2.0)))
    found = segmentation_scores(maps, np.where(unknown, 2, y), 3, unknown=unknown)
    assert found["border_ratio"] == pytest.approx(3.0)


def test_what_cannot_be_scored_is_refused():
    maps = _maps(Y)
    for wrong, words in ((Y[:, :5], "Received: y.shape"), (Y + 1, "labels from 1 to 3"),
                         (np.full_like(Y, 9), "ignore_class=9 alone")):
        with pytest.raises(ValueError, match=words):
            segmentation_scores(maps, wrong, 3, ignore_class=9)
    keras.utils.set_random_seed(0)
    plain = MCDropout(keras.Sequential([keras.Input((4,)), keras.layers.Dropout(0.5),
                                        keras.layers.Dense(3)]), num_samples=2)
    with pytest.raises(ValueError, match="a class for each pixel"):
        pixel_maps(plain, np.zeros((2, 4), "float32"))


def test_evaluation_has_mean_iou_and_the_most_doubtful_images():
    model = _model(Categorical(ignore_class=9), 3)
    y = np.where(RANDOM.random(Y.shape) < 0.2, 9, Y)
    found = evaluate(model, (X, y), num_resamples=30)
    maps = pixel_maps(model, X, y)
    scores = segmentation_scores(maps, y, 3, 9)
    for name in ("miou", "accuracy_kept", "accuracy"):
        np.testing.assert_allclose(found.headline[name].value, scores[name], rtol=1e-5)
    assert found.headline["miou"].low < scores["miou"] < found.headline["miou"].high
    doubt = np.where(y == 9, np.nan, maps.total)
    order = np.argsort(-np.nanmean(doubt, axis=(1, 2)))
    np.testing.assert_array_equal(found.doubtful["images"], X[order[:6]])
    np.testing.assert_allclose(found.doubtful["epistemic"],
                               np.where(y == 9, np.nan, maps.epistemic)[order[:6]])
    np.testing.assert_array_equal(found.maps["images"], X[:6])
