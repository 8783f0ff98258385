"""Evaluation of one trained model by all protocols.

It runs the protocols of the other files: headline scores with bootstrap intervals,
failure prediction, detection of other sets, and scores under distribution shift. An
`Evaluation` holds the arrays that a report draws; its `metrics` are plain numbers.
"""

import dataclasses
import typing

import numpy as np

from bdlzoo import data
from bdlzoo.core import keras_internals
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.interval import Interval
from bdlzoo.evaluation.detection import out_of_distribution
from bdlzoo.evaluation.distribution_shift import distribution_shift
from bdlzoo.evaluation.explained_rows import explained_rows
from bdlzoo.evaluation.failure_prediction import failure_prediction
from bdlzoo.evaluation.mahalanobis import Mahalanobis
from bdlzoo.evaluation.odin import choose_epsilon
from bdlzoo.evaluation.position_rows import position_rows, sums_by_row
from bdlzoo.evaluation.segmentation import accuracy_kept
from bdlzoo.evaluation.uncertainty_scores import judge, uncertainty_scores
from bdlzoo.metrics.bootstrap import bootstrap
from bdlzoo.metrics.intersection_over_union import mean_of_classes
from bdlzoo.metrics.ranking import auroc

_BINS = 15
_BAND_DRAWS = 200
_KEPT = 0.9  # Share of the positions that are most certain.
_FEW, _MANY = 500, 10_000  # Rows to choose epsilon, and to fit features.


@dataclasses.dataclass
class Evaluation:
    """Results of a model on a test set.

    Args:
        name: Name of the model.
        x: Inputs of the test set.
        y: Its targets, `[N]`, or `[N, D]` for numbers.
        prediction: `ClassPrediction` or `RegressionPrediction` of `x`.
        headline: Dictionary from the name of a score to an `Interval`.
        class_names: Names of the classes, in order; `None` for a regression.
        uncertainty: Dictionary from the name of an uncertainty to its values `[N]` on
            the test set, high if the model is unsure.
        failures: Dictionary from the name of an uncertainty to the scores of
            `failure_prediction`.
        outside: Dictionary from the name of another set to its uncertainties, each
            `[M]`, by name.
        detection: Dictionary from the name of another set, then of an uncertainty, to
            the scores of `detection`.
        shift: The result of `distribution_shift`.
        band: Tuple `(grid, prediction, train)` for one input and one target, or
            `None`.
        settings: Dictionary of strings, settings of the protocols by name.
        maps: Images with maps of targets, predictions and uncertainties, as
            `bdlzoo.reports.label_maps` takes them, or `None`.
        causes: Test images and the training images that pushed their answers, as
            `bdlzoo.reports.influential_images` takes them, or `None`.
        doubtful: The same for the images with the largest mean uncertainty.

    If outputs have positions, such as pixels, N counts the positions that count.
    """

    name: str
    x: np.ndarray
    y: np.ndarray
    prediction: typing.Any
    headline: dict
    class_names: tuple | None = None
    uncertainty: dict = dataclasses.field(default_factory=dict)
    failures: dict = dataclasses.field(default_factory=dict)
    outside: dict = dataclasses.field(default_factory=dict)
    detection: dict = dataclasses.field(default_factory=dict)
    shift: dict = dataclasses.field(default_factory=dict)
    band: tuple | None = None
    settings: dict = dataclasses.field(default_factory=dict)
    maps: dict | None = None
    causes: dict | None = None
    doubtful: dict | None = None

    @property
    def is_classifier(self):
        """Whether the model predicts classes, not numbers."""
        return self.class_names is not None

    def metrics(self):
        """Plain numbers: the headline first, then the protocols by name."""
        plain = {name: float(i.value) for name, i in self.headline.items()}
        # An unknown end is `None`, because JSON has no NaN.
        plain["intervals"] = {
            name: [float(end) if np.isfinite(end) else None for end in i[1:]]
            for name, i in self.headline.items()}
        for part in ("failures", "detection", "shift", "settings"):
            if getattr(self, part):
                plain[part] = getattr(self, part)
        return plain | {f"auroc_{name}": scores["entropy"]["auroc"]
                        for name, scores in self.detection.items()}


def evaluate(model, test, name="model", class_names=None, outside=None,
             shift=0, train=None, num_samples=None, seed=0,
             num_resamples=1000, verbose=0, influence=0):
    """Evaluates a model by all protocols that apply to it.

    Args:
        model: `PredictiveModel`. `adopted` makes one from a plain classifier.
        test: `Split` of rows that the model was not trained on.
        name: Name of the model.
        class_names: Names of the classes; `None` numbers them.
        outside: Dictionary of other inputs by name, such as `outside_sets` returns;
            `None` for none.
        shift: Integer, number of images of the test set to corrupt; 0 for none.
        train: `Split` that the model was trained on. It is needed for the distance of
            Mahalanobis and for the band of a curve; `None` leaves them out.
        num_samples: Integer, number of draws; `None` takes that of the model.
        seed: Integer, seed of the draws and of the resamples.
        num_resamples: Integer, number of bootstrap resamples for the intervals.
        verbose: Integer, 1 shows progress bars.
        influence: Integer, number of training rows among which those are looked for
            that pushed the worst answers to images; 0 for none. It needs `train`.

    Returns:
        `Evaluation`.

    Example:

        found = bdlzoo.evaluation.evaluate(model, bdlzoo.data.Split(x_test, y_test))
        found.headline["accuracy"].value
    """
    if isinstance(shift, bool):  # True would be one image.
        raise ValueError("Expected a number of images to corrupt. Received: "
                         f"shift={shift}")
    x, y = test
    model.build_once(x)
    model.check_data(x, y)
    prediction, logits = judge(model, x, num_samples, seed)
    found = position_rows(model, x, np.asarray(y), prediction, logits)
    prediction, logits = found.prediction, found.logits
    if not isinstance(prediction, ClassPrediction) or found.rows is not None:
        _refuse(outside, shift, found.rows)
    notes = {} if found.note is None else {"positions that count": found.note}
    extra = dict(maps=found.maps, doubtful=found.doubtful, settings=notes)
    if not isinstance(prediction, ClassPrediction):
        return Evaluation(name, x, found.targets, prediction,
                          _numbers(prediction, found.targets, num_resamples, seed,
                                   found.rows),
                          band=None if found.rows is not None else _band(
                              model, train, seed), **extra)
    labels, probabilities = found.targets, prediction.probabilities
    if not np.isfinite(probabilities).all():
        raise ValueError("Expected a model with finite predictions: train it again. "
                         f"Received: {np.isnan(probabilities).sum()} NaN")
    result = Evaluation(
        name, x, labels, prediction,
        class_headline(prediction, labels, num_resamples, seed, found.rows),
        tuple(class_names or map(str, range(probabilities.shape[-1]))), **extra)
    if found.maps is not None:
        result.headline.update(_of_pixels(
            prediction, labels, num_resamples, seed, found.rows))
    result.uncertainty = uncertainty_scores(prediction, logits)
    errors = prediction.label != labels
    if 0 < errors.sum() < len(errors):  # Else there is nothing to rank.
        result.failures = {n: failure_prediction(errors, -score)
                           for n, score in result.uncertainty.items()}
        result.headline["auroc_failures"] = _auroc_interval(
            errors, result.uncertainty["max_probability"], num_resamples, seed,
            found.rows)
    if influence and train is not None and np.ndim(x) == 4 and found.rows is None:
        result.causes = explained_rows(
            model, train, data.Split(x, labels), prediction, influence, seed=seed,
            verbose=verbose)
    if outside:
        _detect(result, model, outside, train, num_samples, seed, verbose)
    if shift:
        rows = np.linspace(0, len(x) - 1, min(shift, len(x))).round().astype(int)
        result.shift = distribution_shift(
            model, data.Split(x[rows], labels[rows]), num_samples=num_samples,
            seed=seed, verbose=verbose)
        result.settings["corrupted images"] = f"{len(rows):,}"
    return result


def _detect(result, model, outside, train, num_samples, seed, verbose):
    """Scores the other sets, also by ODIN, and by features if the network has them."""
    options = dict(num_samples=num_samples, seed=seed)
    first = next(iter(outside))
    epsilon = choose_epsilon(model, result.x[:_FEW], outside[first][:_FEW], **options)
    result.settings["ODIN"] = f"epsilon {epsilon:.4g}, chosen on {first}"
    distance = None
    if train is not None and keras_internals.graph(model.network) is not None:
        distance = Mahalanobis(model, train.x[:_MANY],
                               np.ravel(train.y[:_MANY]).astype("int32"))
    known, result.outside, result.detection = out_of_distribution(
        model, result.x, outside, odin={"epsilon": epsilon}, mahalanobis=distance,
        verbose=verbose, **options)
    result.uncertainty.update(known)


def class_headline(prediction, labels, num_resamples=1000, seed=0, rows=None):
    """Headline scores of a classifier, each an `Interval`.

    Args:
        prediction: `ClassPrediction` of the inputs.
        labels: Integer classes `[N]`.
        num_resamples: Integer, number of bootstrap resamples.
        seed: Integer, seed of the resamples.
        rows: Row of the test set of each of N positions, `[N]`, which are resampled
            together; `None` if they are rows themselves.

    Returns:
        Dictionary with `accuracy`, `nll`, `brier` and `ece`.
    """
    hits = (prediction.label == labels).astype("float64")
    confidence = np.asarray(prediction.confidence, "float64")
    probabilities = np.asarray(prediction.probabilities, "float64")
    brier = np.sum((probabilities - np.eye(probabilities.shape[-1])[labels]) ** 2, -1)
    nll = -np.asarray(prediction.log_prob(labels), "float64")
    bins = np.clip(np.ceil(confidence * _BINS).astype(int) - 1, 0, _BINS - 1)

    def calibration_error(bins, gap):
        return np.abs(np.bincount(bins, gap, _BINS)).sum() / len(gap)

    options = dict(num_resamples=num_resamples, seed=seed)
    headline = _means({"accuracy": hits, "nll": nll, "brier": brier}, rows, **options)
    if rows is None:
        ece = bootstrap(calibration_error, bins, hits - confidence, centred=True,
                        **options)
    else:
        gaps = np.eye(_BINS)[bins] * (hits - confidence)[:, None]
        ece = bootstrap(lambda gaps, counts: np.abs(gaps.sum(0)).sum() / counts.sum(),
                        *sums_by_row(rows, gaps), centred=True, **options)
    headline["ece"] = ece._replace(low=max(ece.low, 0.0))
    return headline


def _of_pixels(prediction, labels, num_resamples, seed, rows):
    """Scores of classes of pixels: mean IoU, and accuracy of the certain ones."""
    classes, right = prediction.log_mean.shape[-1], prediction.label == labels
    _, place = np.unique(rows, return_inverse=True)

    def counts(chosen, found):  # Pixels of each row and class, [R, C].
        cells = place[chosen] * classes + found[chosen]
        return np.bincount(cells, minlength=(place.max() + 1) * classes).reshape(
            -1, classes)

    every = np.ones_like(right)
    both, true, said = (counts(*pair) for pair in (
        (right, labels), (every, labels), (every, prediction.label)))
    miou = bootstrap(
        lambda both, either: mean_of_classes(both.sum(0), either.sum(0)),
        both, true + said - both, num_resamples=num_resamples, seed=seed)
    kept = accuracy_kept(prediction.predictive_entropy, right, _KEPT)
    return {"miou": miou, "accuracy_kept": Interval(kept, np.nan, np.nan)}


def _numbers(prediction, y, num_resamples, seed, rows=None):
    """Headline scores of a regression."""
    low, high = prediction.interval(0.95)
    columns = {
        "nll": -np.asarray(prediction.log_prob(y), "float64"),
        "crps": np.mean(prediction.crps(y), -1),
        "coverage": np.mean((low <= y) & (y <= high), -1),
        "interval_width": np.mean(high - low, -1)}
    options = dict(num_resamples=num_resamples, seed=seed)
    squares = np.mean((prediction.mean - y) ** 2, -1, dtype="float64")
    if rows is None:
        rmse = bootstrap(lambda rows: np.sqrt(rows.mean()), squares, **options)
    else:
        rmse = bootstrap(lambda sums, counts: np.sqrt(sums.sum() / counts.sum()),
                         *sums_by_row(rows, squares[:, None]), **options)
    return {"rmse": rmse, **_means(columns, rows, **options)}


def _means(columns, rows, **options):
    """Intervals of the means of columns, from the same resamples."""
    values = np.stack(list(columns.values()), axis=1)
    if rows is None:
        value, low, high = bootstrap(lambda r: r.mean(axis=0), values, **options)
    else:
        value, low, high = bootstrap(
            lambda sums, counts: sums.sum(0) / counts.sum(),
            *sums_by_row(rows, values), **options)
    return {name: Interval(*ends) for name, *ends in zip(columns, value, low, high)}


def _auroc_interval(errors, uncertainty, num_resamples, seed, rows=None):
    """AUROC of failures, without an interval of positions or of too few errors."""
    if rows is not None:  # It is no sum over positions, and they are too many.
        return Interval(auroc(uncertainty, errors), np.nan, np.nan)
    try:
        return bootstrap(auroc, uncertainty, errors, num_resamples=num_resamples,
                         seed=seed)
    except ValueError:
        return Interval(auroc(uncertainty, errors), np.nan, np.nan)


def _band(model, train, seed):
    """Prediction on a grid that exceeds the data, if there is a single input."""
    if train is None or train.x.shape[1:] != (1,):
        return None
    reach = 0.3 * np.ptp(train.x)  # Beyond the data the uncertainty should grow.
    grid = np.linspace(train.x.min() - reach, train.x.max() + reach, 300)
    grid = grid[:, None].astype("float32")
    return grid, model.predict_uncertainty(grid, _BAND_DRAWS, seed), train


def _refuse(outside, shift, rows=None):
    if outside or shift:
        raise ValueError(
            "Expected a classifier of images for other sets and corruptions. "
            f"Received: {'a regression' if rows is None else 'outputs of positions'} "
            f"with outside={sorted(outside or ())}, shift={shift}")
