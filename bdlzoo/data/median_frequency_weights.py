"""Weights of classes whose numbers of pixels differ.

    frequency(c) = pixels of class c / pixels of the images that show it
    weight(c)    = median of all frequencies / frequency(c)

A class as frequent as the median weighs 1, a rare one more. `fit` takes them as
`class_weight`.

Reference: Eigen and Fergus, Predicting Depth, Surface Normals and Semantic Labels
with a Common Multi-scale Convolutional Architecture, ICCV 2015.
"""

import numpy as np

from bdlzoo.core.positions import check_labelled


def median_frequency_weights(y, num_classes, ignore_class=None):
    """Computes the weights of classes of pixels by median frequency balancing.

    Args:
        y: Integers `[N, ...]`, classes of the positions of N rows.
        num_classes: Integer, number of classes.
        ignore_class: Integer, label of positions that do not count; `None` for none.

    Returns:
        Dictionary from each class to its weight, 0 for a class that no pixel has.

    Raises:
        ValueError: If a label is no class, or a row has no position that counts.

    Example:

        weights = bdlzoo.data.median_frequency_weights(y, 11, ignore_class=11)
        model.fit(x, y, class_weight=weights)
    """
    y = np.asarray(y)
    flat = y.reshape(len(y), -1)
    counts = np.stack([np.count_nonzero(flat == c, axis=1)
                       for c in range(num_classes)], axis=1)  # [N, C]
    labelled = flat.shape[1] - (0 if ignore_class is None else np.count_nonzero(
        flat == ignore_class, axis=1))
    if (counts.sum(axis=1) != labelled).any():
        raise ValueError(
            f"Expected classes from 0 to {num_classes - 1}, or the label "
            f"ignore_class={ignore_class}. Received: labels from {y.min()} to "
            f"{y.max()}")
    check_labelled(y, ignore_class)
    pixels = counts.sum(axis=0)
    shown = np.where(counts > 0, counts.sum(axis=1, keepdims=True), 0).sum(axis=0)
    there = pixels > 0
    frequency = pixels[there] / shown[there]
    weights = np.zeros(num_classes)
    weights[there] = np.median(frequency) / frequency
    return dict(enumerate(weights.tolist()))
