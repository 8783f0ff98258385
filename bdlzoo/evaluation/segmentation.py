"""Protocol of models that predict a class for each pixel, with maps of doubt.

    total = aleatoric + epistemic = predictive entropy of a pixel
    kept(s)  accuracy of the share s of the pixels that are most certain
    border ratio  = mean aleatoric uncertainty at borders / inside of objects
    unknown AUROC = by pixel, and by region (mean over a connected region of a class)

Images come in batches, and of each batch only the maps stay: memory does not depend on
the number of draws, nor of classes. The calibration error is summed over bins.

Reference: Kendall and Gal, What Uncertainties Do We Need in Bayesian Deep Learning for
Computer Vision, NeurIPS 2017; Mukhoti and Gal, Evaluating Bayesian Deep Learning
Methods for Semantic Segmentation, 2018.
"""

import typing

import numpy as np
import scipy.ndimage

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.metrics.intersection_over_union import (
    confusion_matrix,
    intersection_over_union,
)
from bdlzoo.metrics.pavpu import pavpu
from bdlzoo.metrics.ranking import auroc

_BINS = 15
_RIM = 2  # Pixels at the rim of images, where zeros around them reach in.
_SMALLEST = 12  # Pixels of a region that is compared.
KINDS = ("total", "aleatoric", "epistemic")


class PixelMaps(typing.NamedTuple):
    """Predictions of images, a number for each pixel: arrays `[N, H, W]`.

    Args:
        label: Integers, predicted classes.
        confidence: Floats, their probabilities, calibrated.
        total: Floats, entropy of the mean over draws, in nats.
        aleatoric: Floats, mean entropy of the draws: uncertainty of the data.
        epistemic: Floats, mutual information: uncertainty of the model.
        log_prob: Floats, log probability of the label, 0 where none counts; `None`
            without labels.
    """

    label: np.ndarray
    confidence: np.ndarray
    total: np.ndarray
    aleatoric: np.ndarray
    epistemic: np.ndarray
    log_prob: np.ndarray | None = None


def pixel_maps(model, x, y=None, num_samples=None, seed=0, batch_size=16):
    """Predicts images, batch by batch.

    Args:
        model: `PredictiveModel` of classes, with outputs `[B, H, W, ...]`.
        x: Images `[N, H, W, C]`.
        y: Masks `[N, H, W]` for `log_prob`, or `None`.
        num_samples: Integer, number of draws; `None` takes that of the model.
        seed: Integer, seed of the draws.
        batch_size: Integer, images that are predicted at once.

    Returns:
        `PixelMaps`.

    Example:

        maps = bdlzoo.evaluation.pixel_maps(segmenter, scenes.x, scenes.y)
    """
    parts = []
    for start in range(0, len(x), batch_size):
        rows = slice(start, start + batch_size)
        found = model.predict_uncertainty(x[rows], num_samples, seed)
        if not isinstance(found, ClassPrediction) or np.ndim(found.label) != 3:
            raise ValueError(
                "Expected a model with a class for each pixel, outputs [B, H, W, C]. "
                f"Received: predictions of shape {np.shape(found.mean)}")
        parts.append((found.label, found.confidence, found.predictive_entropy,
                      found.expected_entropy, found.mutual_information,
                      *([] if y is None else [_log_prob(model, found, y[rows])])))
    return PixelMaps(*map(np.concatenate, zip(*parts)))


def segmentation_scores(maps, y, num_classes, ignore_class=None, border=None,
                        unknown=None, kept=0.9, patch=4):
    """Scores predictions of pixels and their uncertainty.

    Args:
        maps: `PixelMaps`.
        y: Masks `[N, H, W]`, true classes.
        num_classes: Integer, number of classes.
        ignore_class: Integer, label of pixels that do not count; `None` for none.
        border: Bools `[N, H, W]`, pixels at borders of objects; `None` takes pixels
            one of whose eight neighbours has another label.
        unknown: Bools `[N, H, W]`, pixels that show what no training image has, for
            detection; `None` for none. They may be pixels that do not count.
        kept: Float in (0, 1], share of the pixels that are kept for `accuracy_kept`.
        patch: Integer, side of the patches of `pavpu`.

    Returns:
        Dictionary of floats: `accuracy`, `miou`, `ece`, `pavpu`, `accuracy_kept`;
        `nll` if the maps have `log_prob`; `border_ratio` of the aleatoric
        uncertainty; and of detection `auroc_KIND` and `auroc_region_KIND`, where KIND
        is `total`, `aleatoric` or `epistemic`.

    Raises:
        ValueError: If masks have another size than the maps, a label is no class, or
            no pixel counts.

    Example:

        maps = bdlzoo.evaluation.pixel_maps(segmenter, scenes.x)
        bdlzoo.evaluation.segmentation_scores(maps, scenes.y, num_classes=4)["miou"]
    """
    y = np.asarray(y)
    if y.shape != maps.label.shape:
        raise ValueError("Expected masks in the shape of the predictions, "
                         f"{maps.label.shape}. Received: y.shape={y.shape}")
    counts = np.ones(y.shape, bool) if ignore_class is None else y != ignore_class
    if not counts.any():
        raise ValueError("Expected pixels that count. Received: masks with the label "
                         f"ignore_class={ignore_class} alone")
    confusion = confusion_matrix(y[counts], maps.label[counts], num_classes)
    right = (maps.label == y) & counts
    scores = {
        "accuracy": float(np.trace(confusion) / confusion.sum()),
        "miou": float(np.nanmean(intersection_over_union(confusion))),
        "ece": calibration_error(maps.confidence[counts], right[counts]),
        "pavpu": pavpu(right, maps.total, patch=patch, counts=counts)["pavpu"],
        "accuracy_kept": accuracy_kept(maps.total[counts], right[counts], kept)}
    if maps.log_prob is not None:
        scores["nll"] = -float(maps.log_prob[counts].mean())
    scores["border_ratio"] = border_ratio(
        maps.aleatoric, borders(y) if border is None else border,
        counts if unknown is None else counts & ~unknown)
    if unknown is not None:
        scores.update(_detection(maps, y, counts, unknown))
    return scores


def accuracy_kept(uncertainty, right, share):
    """Accuracy of the share of the pixels whose uncertainty is least.

    Args:
        uncertainty: Floats `[N]`.
        right: Bools `[N]`.
        share: Float in (0, 1], or several.

    Returns:
        Float, or an array of them.
    """
    # Without an order between equal ones, each has the mean of all of them.
    _, place, counts = np.unique(uncertainty, return_inverse=True, return_counts=True)
    means = np.bincount(place, right) / counts
    ordered = np.cumsum(np.repeat(means, counts))
    last = np.maximum(np.round(np.multiply(share, len(ordered))).astype(int), 1)
    found = ordered[last - 1] / last
    return float(found) if np.ndim(share) == 0 else found


def calibration_error(confidence, right):
    """Expected calibration error over 15 bins, from sums over pixels.

    Args:
        confidence: Floats `[N]`.
        right: Bools `[N]`.
    """
    bins = np.clip(np.ceil(confidence * _BINS).astype(int) - 1, 0, _BINS - 1)
    gaps = np.bincount(bins, right - confidence.astype("float64"), _BINS)
    return float(np.abs(gaps).sum() / len(confidence))


def borders(y):
    """Bools `[N, H, W]`: pixels one of whose eight neighbours has another label."""
    size = (1, 3, 3)
    return scipy.ndimage.maximum_filter(y, size) != scipy.ndimage.minimum_filter(
        y, size)


def border_ratio(uncertainty, border, counts):
    """Mean uncertainty of the border pixels that count over that of the others.

    Pixels at the rim of images are left out.

    Args:
        uncertainty: Floats `[N, H, W]`.
        border: Bools `[N, H, W]`.
        counts: Bools `[N, H, W]`.
    """
    inner = np.zeros(counts.shape, bool)
    inner[:, _RIM:-_RIM, _RIM:-_RIM] = True
    here, inside = (counts & inner & part for part in (border, ~border))
    if not here.any() or not inside.any():
        return float("nan")
    return float(uncertainty[here].mean(dtype="float64")
                 / uncertainty[inside].mean(dtype="float64"))


def _detection(maps, y, counts, unknown):
    """AUROC of pixels and regions of the unknown class against the others."""
    shown = counts | unknown
    regions, strange = _regions(np.where(unknown, -1, y), shown)
    scores = {}
    for kind in KINDS:
        values = np.asarray(getattr(maps, kind), "float64")
        scores[f"auroc_{kind}"] = auroc(values[shown], unknown[shown])
        pixels = np.bincount(regions[shown])
        means = np.bincount(regions[shown], values[shown]) / np.maximum(pixels, 1)
        large = pixels >= _SMALLEST
        both = strange[large].any() and not strange[large].all()
        scores[f"auroc_region_{kind}"] = auroc(
            means[large], strange[large]) if both else float("nan")
    return scores


def _regions(labels, shown):
    """Numbers of the connected regions of one label, and which show the label -1."""
    numbers, strange = np.zeros(labels.shape, int), []
    alone = np.zeros((3, 3, 3), int)
    alone[1] = scipy.ndimage.generate_binary_structure(2, 1)  # Not across images.
    for label in np.unique(labels[shown]):
        found, count = scipy.ndimage.label((labels == label) & shown, alone)
        numbers[found > 0] = found[found > 0] + len(strange) - 1
        strange += [label == -1] * count
    return numbers, np.array(strange)


def _log_prob(model, prediction, y):
    y = np.asarray(y)
    counts = model.likelihood.counts(y, prediction.mean[None])
    counts = np.ones(y.shape, bool) if counts is None else np.asarray(counts)
    return np.where(counts, prediction.log_prob(np.where(counts, y, 0)), 0.0)
