"""Intersection over union of the classes of pixels.

    IoU(c) = n_cc / (n_c. + n_.c - n_cc),    n_kl pixels of class k are predicted as l

The confusion matrix n is a sum over pixels, and so it can be summed over batches.
`keras.metrics.MeanIoU(num_classes, sparse_y_pred=False)` gives the mean in `evaluate`.

Reference: Everingham et al., The Pascal Visual Object Classes Challenge, 2015.
"""

import numpy as np


def confusion_matrix(labels, predicted, num_classes):
    """Counts pixels by true and predicted class.

    Args:
        labels: Integers, true classes of the pixels that count.
        predicted: Integers in the same shape.
        num_classes: Integer, number of classes.

    Returns:
        Integers `[C, C]`, true classes in rows.

    Example:

        bdlzoo.metrics.confusion_matrix(y, prediction.label, num_classes=10)
    """
    labels, predicted = np.ravel(labels), np.ravel(predicted)
    if labels.size and not 0 <= labels.min() <= labels.max() < num_classes:
        raise ValueError(
            f"Expected classes from 0 to {num_classes - 1}: leave out pixels that do "
            f"not count. Received: labels from {labels.min()} to {labels.max()}")
    places = labels.astype("int64") * num_classes + predicted
    return np.bincount(places, minlength=num_classes**2).reshape(
        num_classes, num_classes)


def intersection_over_union(confusion):
    """Computes the intersection over union of each class.

    Args:
        confusion: Integers `[C, C]` of `confusion_matrix`.

    Returns:
        Floats `[C]`; NaN for a class that no pixel has and none is predicted as. Their
        mean over the others is the mIoU.

    Example:

        confusion = bdlzoo.metrics.confusion_matrix(y, prediction.label, num_classes=10)
        bdlzoo.metrics.intersection_over_union(confusion)
    """
    confusion = np.asarray(confusion, "float64")
    both = np.diag(confusion)
    return _shares(both, confusion.sum(axis=0) + confusion.sum(axis=1) - both)


def mean_of_classes(both, either):
    """Mean IoU of the classes that are there.

    Args:
        both: Numbers `[C]`, pixels that are of the class and predicted as it.
        either: Numbers `[C]`, pixels that are of the class or predicted as it.
    """
    return float(np.nanmean(_shares(both, either)))


def _shares(both, either):
    return np.divide(both, either, out=np.full(len(both), np.nan), where=either > 0)
