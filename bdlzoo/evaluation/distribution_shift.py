"""Scores of a classifier, and of its confidence, on images that are corrupted.

    accuracy, nll, ece, ...  of mean_s p(y | corrupt(x, severity), w_s)

against severity, where 0 stands for the clean images. A good model is less sure where
it errs more often: its calibration error stays low. The noise of an image and the draws
of the model are the same at all severities.

Reference: Ovadia et al., Can You Trust Your Model's Uncertainty? Evaluating
Predictive Uncertainty Under Dataset Shift, NeurIPS 2019.
"""

import keras
import numpy as np

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.corruptions import ALL
from bdlzoo.metrics import BrierScore, ExpectedCalibrationError

_ROWS = 1000  # Images corrupted at once; the batch changes no image.


def distribution_shift(model, split, corruptions=ALL, severities=range(1, 6),
                       num_samples=None, seed=0, verbose=1):
    """Measures a classifier of images under corruptions.

    Args:
        model: `PredictiveModel` of classes.
        split: `Split(x, y)`, images `[N, H, W, C]` in `[0, 1]` and classes `[N]`.
        corruptions: Classes of `bdlzoo.corruptions`.
        severities: Integers from 1 to 5.
        num_samples: Integer, draws; `None` takes the model's.
        seed: Integer, of the corruptions and of the draws.
        verbose: 0 or 1, whether to show a progress bar.

    Returns:
        Dict from the name of a corruption to a dict of lists over severities,
        the clean images first: `severity`, `accuracy`, `nll`, `ece`, `brier` and
        `entropy`.
    """
    x, y = map(np.asarray, split)
    corruptions, severities = list(corruptions), list(severities)
    if x.ndim != 4:
        raise ValueError("Expected images [N, H, W, C]: other data have no such "
                         f"corruptions. Received: x.shape={x.shape}")
    model.build_once(x)
    model.check_data(x, y)
    bar = keras.utils.Progbar(1 + len(corruptions) * len(severities),
                              verbose=verbose, unit_name="severity")

    def scored(images):
        prediction = model.predict_uncertainty(images, num_samples, seed)
        values = _scores(prediction, y.reshape(-1))
        bar.add(1)
        return values

    clean = scored(x)
    return {kind.__name__: _columns([0, *severities], [
        clean, *(scored(_corrupted(kind(s, seed), x)) for s in severities)])
        for kind in corruptions}


def mean_over_corruptions(result):
    """Averages what `distribution_shift` returns: dict of lists.

    Args:
        result: Dictionary from a corruption to its table, a dict of lists.
    """
    tables = list(result.values())
    return {name: np.mean([table[name] for table in tables], axis=0).tolist()
            for name in tables[0]}


def _corrupted(corruption, x):
    return np.concatenate([corruption(x[start:start + _ROWS])
                           for start in range(0, len(x), _ROWS)])


def _scores(prediction, labels):
    if not isinstance(prediction, ClassPrediction):
        raise ValueError("Expected a model of classes, such as one with "
                         "`likelihood=\"categorical\"`. Received: predictions of "
                         f"type {type(prediction).__name__}")
    values = {"accuracy": np.mean(prediction.label == labels),
              "nll": -np.mean(prediction.log_prob(labels))}
    for metric in (ExpectedCalibrationError(), BrierScore()):
        metric.update_state(labels, prediction.probabilities)
        values[metric.name] = metric.result()
    values["entropy"] = np.mean(prediction.predictive_entropy)
    return {name: float(value) for name, value in values.items()}


def _columns(severities, rows):
    return {"severity": severities,
            **{name: [row[name] for row in rows] for name in rows[0]}}
