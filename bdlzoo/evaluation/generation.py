"""Scores of models that make inputs of a class in a style.

    controllability   how often a judge sees the class that was asked for
    transfer          the same for given inputs that get another class
    agreement         how often the classifier of the model itself sees it
    correlation       of I(G(z, y)) with z, the mean over the numbers of a style
    style_error       squared error of these numbers; 1 / 12 for a constant
    diversity         mean distance of two made inputs of one class, as a multiple of
                      that of two given ones
    frechet           Frechet distance of the features of the judge, made and given
    leak              how often a linear classifier tells the class of an input from
                      its style; what is low is good, 1 / K is chance

The judge is a classifier of its own, trained on many labels; its mistakes count against
the model.
"""

import numpy as np

from bdlzoo.evaluation.frechet_distance import frechet_distance
from bdlzoo.evaluation.perturbation_diversity import diversity
from bdlzoo.surgery.encoder import Encoder

_ROWS = 500  # Inputs that go through a network at once.
_PAIRS = 50  # Inputs of a class whose distances are averaged.


def generation_scores(model, judge, x, y, num_samples=1000, seed=0):
    """Scores of what a model makes, by name.

    Args:
        model: `StructuredGAN`, or another model with `generate(n, labels, seed)`,
            `transfer`, `style` and `drawn_styles`.
        judge: `PredictiveModel` that classifies, with a functional network.
        x: Arrays of inputs that neither of them was trained on.
        y: Integers `[N]`, their classes.
        num_samples: Integer, inputs that are made, and given inputs that count.
        seed: Integer, of the styles and of the classes that are asked for.

    Returns:
        Dictionary of floats.
    """
    x, y = x[:num_samples], np.ravel(y)[:num_samples]
    classes = model.num_classes
    if len({*y.tolist()}) < 2 or len(x) < 2 * classes:
        raise ValueError("Expected inputs of several classes, two of each at least. "
                         f"Received: {len(x)} inputs")
    asked = np.arange(num_samples, dtype="int32") % classes
    made = model.generate(num_samples, asked, seed)
    # Each other class as often as any, and never its own.
    other = (y + 1 + np.arange(len(y)) % (classes - 1)) % classes
    moved = model.transfer(x, other)
    styles, read = model.drawn_styles(num_samples, seed), model.style(made)
    return {
        "controllability": _share(judge, made, asked),
        "transfer": _share(judge, moved, other),
        "agreement": _share(model, made, asked),
        "correlation": _correlation(read, styles),
        "style_error": float(np.mean((read - styles)**2)),
        "diversity": _spread(made, asked) / _spread(x, y),
        "frechet": frechet_distance(_features(judge, made), _features(judge, x)),
        "leak": _told(model.style(x), y)}


def _share(model, x, labels):
    return float(np.mean(np.argmax(
        model.predict(x, batch_size=_ROWS, verbose=0), axis=-1) == labels))


def _correlation(read, styles):
    pairs = [np.corrcoef(a, b)[0, 1] for a, b in zip(read.T, styles.T)
             if a.std() > 0]  # A number that never moves tells nothing.
    return float(np.sum(pairs) / styles.shape[1])


def _spread(x, y):
    """Mean distance of two inputs of one class."""
    rows = [x[y == label][:_PAIRS] for label in np.unique(y)]
    return float(np.mean([diversity(one[:, None])[0] for one in rows if len(one) > 1]))


def _features(judge, x):
    encoder = Encoder(judge.network)
    return np.concatenate([np.asarray(encoder(x[start:start + _ROWS]))
                           for start in range(0, len(x), _ROWS)])


def _told(styles, y):
    """Accuracy of a linear classifier, trained on one half and tested on the other."""
    from sklearn.linear_model import LogisticRegression
    half = len(y) // 2
    scale = styles[:half].std(axis=0) + 1e-9
    units = (styles - styles[:half].mean(axis=0)) / scale
    return float(LogisticRegression(max_iter=500).fit(
        units[:half], y[:half]).score(units[half:], y[half:]))
