"""How well an uncertainty tells strange inputs from those of the test set."""

import numpy as np

from bdlzoo.core import noise


def novelty_auroc(known, strange):
    """Area under the ROC curve, strange inputs being the positive class.

    Args:
        known: Scores `[N]` of inputs like those of training.
        strange: Scores `[M]` of inputs unlike them; higher is stranger.

    Returns:
        Float, the chance that a strange input scores above a known one.
    """
    from sklearn import metrics
    labels = np.repeat([0, 1], [len(known), len(strange)])
    return float(metrics.roc_auc_score(labels, np.concatenate([known, strange])))


def disagreement(model, images, seed=0):
    """Mutual information of test images, of noise and of permuted images.

    Returns:
        Dictionary of arrays `[N]`, the test set first.
    """
    return {name: model.predict_uncertainty(x, seed=seed).mutual_information
            for name, x in (("test set", images),
                            ("uniform noise", uniform_noise(images, seed)),
                            ("permuted pixels", permuted_pixels(images, seed)))}


def uniform_noise(images, seed=0):
    """Images of the same shape whose pixels are uniform in [0, 1]."""
    return noise.uniform(images.shape, noise.key(seed, noise.ORDER)).numpy()


def permuted_pixels(images, seed=0):
    """The same images, the pixels of each in an order of its own."""
    flat = images.reshape(len(images), -1)
    words = noise.words(flat.shape, noise.key(seed, noise.ORDER)).numpy()
    order = np.argsort(words, axis=1, kind="stable")
    return np.take_along_axis(flat, order, axis=1).reshape(images.shape)
