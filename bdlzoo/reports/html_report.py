"""Report of the accuracy and the uncertainty of models, as one HTML file.

The file contains its style and its images, and needs neither a connection nor
scripts. It can be read on a phone, on a screen and on paper. This module collects the
numbers and figures; the text is in `report.html.j2`.
The report reads the attributes that `bdlzoo.evaluation.evaluation.Evaluation` has.
"""

import base64
import collections
import dataclasses
import functools
import io
import math
import pathlib
import re
import typing

import numpy as np

from bdlzoo.reports import canvas
from bdlzoo.reports.calibration_plot import calibration_plot
from bdlzoo.reports.confidence_histogram import confidence_histogram
from bdlzoo.reports.detection_curves import detection_curves
from bdlzoo.reports.influential_images import influential_images
from bdlzoo.reports.label_maps import label_maps
from bdlzoo.reports.predictive_band import predictive_band
from bdlzoo.reports.ranked_images import ranked_images
from bdlzoo.reports.reliability_diagram import reliability_diagram
from bdlzoo.reports.risk_coverage import risk_coverage
from bdlzoo.reports.shift_curves import shift_curves
from bdlzoo.reports.uncertainty_histogram import uncertainty_histogram

_TEMPLATE = "report.html.j2"
_DPI, _CSS_DPI = 200, 110  # Pixels of the file, and of the page, in an inch.
_LONGEST = 28  # Characters of a name in a figure.
_LISTED = 12  # Names in a list; the others are counted.
_COMPARED = ("max_probability", "entropy", "mutual_information")
# Pictures that an evaluation may hold: what they show, and what draws them.
_HELD = {"maps": ("Images and maps of uncertainty", label_maps),
         "doubtful": ("Most doubtful images", label_maps),
         "causes": ("Training images behind answers", influential_images)}
_SMALL = ("aurc", "e_aurc")  # Given in thousandths, as papers do.
_UP, _DOWN, _NEITHER = 1, -1, 0
# Title, meaning, and in which direction a score is better.
_SCORES = {
    "accuracy": ("Accuracy", "share of right predictions", _UP),
    "nll": ("NLL", "negative log likelihood of the targets, in nats", _DOWN),
    "brier": ("Brier score", "squared error of the probabilities", _DOWN),
    "ece": ("ECE", "gap between confidence and accuracy", _DOWN),
    "miou": ("Mean IoU", "intersection over union, mean over classes", _UP),
    "accuracy_kept": ("Accuracy of 90 %", "of the least uncertain positions", _UP),
    "rmse": ("RMSE", "root of the mean squared error", _DOWN),
    "crps": ("CRPS", "distance between prediction and target, in the unit of the "
             "targets", _DOWN),
    "coverage": ("Coverage", "share of targets inside of the 95 % interval; should be "
                 "0.95", _NEITHER),
    "interval_width": ("Interval width", "width of the 95 % interval, in the unit of "
                       "the targets; narrow is good if the coverage is right",
                       _NEITHER),
    "auroc_failures": ("AUROC of failures", "probability that a wrong prediction is "
                       "less confident than a right one", _UP),
    "entropy": ("Entropy", "mean uncertainty of the predictions, in nats", _NEITHER),
    "auroc": ("AUROC", "probability that a row to reject is more uncertain than a row "
              "to accept; 0.5 is random", _UP),
    "fpr95": ("FPR95", "share of the rows to reject that are accepted when 95 % of the "
              "others are", _DOWN),
    "ap_errors": ("AP errors", "precision at finding wrong predictions", _UP),
    "ap_success": ("AP success", "precision at finding right predictions", _UP),
    "aurc": ("AURC ×1000", "mean risk over all coverages", _DOWN),
    "e_aurc": ("E‑AURC ×1000", "AURC minus that of a perfect ranking", _DOWN),
    "aupr_out": ("AUPR out", "precision at finding outside rows", _UP),
    "aupr_in": ("AUPR in", "precision at finding test rows", _UP),
    "detection_error": ("Error", "share of errors at the best threshold", _DOWN),
}


@dataclasses.dataclass
class Plot:
    """A figure of the report, in the page and as a file."""

    name: str  # Name of the file; ends in the number of the run if there are several.
    kind: str
    run: int | None  # `None` if all runs are in one figure.
    alt: str
    figure: typing.Any

    @functools.cached_property
    def png(self):
        """Bytes of the picture, kept because drawing it is slow."""
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=_DPI,
                            metadata={"Software": None})
        return buffer.getvalue()


def html_report(evaluations, title="Evaluation", plots=None):
    """Writes one or several evaluations, side by side, as one HTML page.

    Args:
        evaluations: List of `Evaluation`, all of classifiers or all of regressions.
        title: String, headline of the page.
        plots: List that `draw` returned for the evaluations; `None` draws them.

    Returns:
        String, the page.
    """
    images = collections.defaultdict(list)
    for plot in draw(evaluations) if plots is None else plots:
        images[plot.kind].append(image(plot))
    return template(_TEMPLATE).render(
        title=title, plots=images, classifier=evaluations[0].is_classifier,
        runs=[{"name": name, "colour": colour} for name, colour in zip(
            _names(evaluations), canvas.colours())],
        facts=_facts(evaluations), headline=_headline(evaluations),
        failures=[_table({"": e.failures}) for e in evaluations],
        detection=[_table(e.detection) for e in evaluations],
        shift=[_table({"": _shift(e)}) for e in evaluations],
        meanings=_meanings)


def template(name):
    """Template of this folder, by the name of its file."""
    import jinja2
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent))
    return environment.get_template(name)


def draw(evaluations):
    """Draws the figures of the report.

    Args:
        evaluations: List of `Evaluation`, all of classifiers or all of regressions.

    Returns:
        List of `Plot`.
    """
    _check(evaluations)
    several = len(evaluations) > 1
    return [Plot(kind if run is None or not several else f"{kind}_{run + 1}",
                 kind, run, alt, figure)
            for kind, run, alt, figure in _plots(evaluations)]


def _check(evaluations):
    if not len(evaluations):
        raise ValueError("Expected at least one evaluation. Received: none")
    kinds = [e.is_classifier for e in evaluations]
    if len(set(kinds)) > 1:
        raise ValueError(
            "Expected only classifiers, or only regressions, in one report, since "
            "their scores are not the same: write two reports. Received: "
            + ", ".join(f"{e.name!r}, a {'classifier' if k else 'regression'}"
                        for e, k in zip(evaluations, kinds)))


def _plots(evaluations):
    """Yields the figures that the evaluations have data for."""
    names = [_drawable(name) for name in _names(evaluations)]
    runs = list(enumerate(zip(names, evaluations)))
    draw = _class_plots if evaluations[0].is_classifier else _number_plots
    for run, (name, evaluation) in runs:
        for kind, alt, figure in draw(evaluation):
            yield kind, run, f"{alt}: {evaluation.name}", figure
        for kind, (alt, drawn) in _HELD.items():
            if (held := getattr(evaluation, kind, None)) is not None:
                yield kind, run, f"{alt}: {evaluation.name}", drawn(**held)
    if evaluations[0].is_classifier:
        title = "Risk against coverage of all models"
        yield "risk_coverage", None, title, risk_coverage(_risks(runs))
    shifts = {name: e.shift for _, (name, e) in runs if e.shift}
    if shifts:
        title = "Scores against the severity of corruptions"
        yield "shift", None, title, shift_curves(shifts)


def _class_plots(e):
    errors = e.prediction.label != np.ravel(e.y)
    yield "reliability", "Reliability diagram", reliability_diagram(
        e.prediction.probabilities, e.y)
    yield "confidence", "Confidence of right and wrong predictions", (
        confidence_histogram(errors, e.prediction.confidence))
    shown = _shown(e)
    if shown:
        sets = {_drawable(name): scores[shown] for name, scores in e.outside.items()}
        word = shown.replace("_", " ")
        yield "histogram", f"Histograms of {word} by set of inputs", (
            uncertainty_histogram({"test set": e.uncertainty[shown], **sets},
                                  word.capitalize()))
        yield "roc", f"ROC curves of detection by {word}", detection_curves(
            {name: (e.uncertainty[shown], scores) for name, scores in sets.items()},
            word)
    if e.x.ndim == 4 and len(e.x) == len(e.y):  # Not of positions.
        for end in ("most", "least"):
            yield end, f"The {end} uncertain images and their probabilities", (
                ranked_images(e.x, e.prediction, e.y, by="predictive_entropy",
                              class_names=e.class_names, ends=(end,)))


def _number_plots(e):
    if e.band is not None:
        grid, prediction, train = e.band
        yield "band", "Predictive mean and bands", predictive_band(
            grid, prediction, train.x, train.y)
    yield "calibration", "Observed against expected coverage", calibration_plot(
        e.prediction, e.y)


def _shown(evaluation):
    """Name of the uncertainty to draw: the total entropy if all sets have it."""
    shared = [name for name in evaluation.uncertainty if evaluation.outside and all(
        name in scores for scores in evaluation.outside.values())]
    return "entropy" if "entropy" in shared else next(iter(shared), None)


def _risks(runs):
    """Errors and confidence of each model, or of each score of a single model."""
    if len(runs) == 1:
        [(_, (_, e))] = runs
        errors = e.prediction.label != np.ravel(e.y)
        scores = {name.replace("_", " "): -e.uncertainty[name] for name in _COMPARED
                  if np.ptp(e.uncertainty.get(name, 0.0))}  # A constant is no ranking.
        return {name: (errors, confidence) for name, confidence in (
            scores or {"confidence": e.prediction.confidence}).items()}
    return {name: (e.prediction.label != np.ravel(e.y), _confidence(e))
            for _, (name, e) in runs}


def _confidence(e):
    # Log odds if there are any, because in float32 many probabilities are 1.
    return (-e.uncertainty["max_probability"] if "max_probability" in e.uncertainty
            else e.prediction.confidence)


def _names(evaluations):
    """Names of the runs; equal names are numbered."""
    names = [str(e.name) for e in evaluations]
    return [f"{name} ({names[:i].count(name) + 1})" if names.count(name) > 1
            else name for i, name in enumerate(names)]


def _drawable(name):
    """A short name that matplotlib draws unchanged, also in a legend."""
    name = " ".join(str(name).split())
    name = name if len(name) <= _LONGEST else f"{name[:_LONGEST - 1]}…"
    if name.startswith("_"):
        name = f" {name}"  # Legends leave out names with an underscore.
    return name.replace("$", r"\$")


def image(plot):
    """A figure in the form that the template reads."""
    width, height = plot.figure.get_size_inches() * _CSS_DPI
    return {"run": plot.run, "alt": plot.alt, "width": round(width),
            "height": round(height),
            "data": base64.b64encode(plot.png).decode()}


def _facts(evaluations):
    """Facts about the evaluations: a name to the text for each run."""
    rows = collections.defaultdict(list)
    for e in evaluations:
        rows["Test rows"].append(f"{len(e.x):,}")
        rows["Shape of a row"].append(" × ".join(map(str, e.x.shape[1:])) or "1")
        if e.is_classifier:
            rows["Classes"].append(f"{len(e.class_names)}: {_list(e.class_names)}")
            wrong = int(np.sum(e.prediction.label != np.ravel(e.y)))
            rows["Wrong predictions"].append(f"{wrong:,}")
        else:
            rows["Targets of a row"].append(str(np.size(e.y) // len(e.y)))
        rows["Draws of the model"].append(f"{e.prediction.num_draws:,}")
        rows["Other sets"].append(", ".join(
            f"{name} ({len(next(iter(scores.values()))):,})"
            for name, scores in e.outside.items()))
    settings = [{str(k): str(v) for k, v in e.settings.items()} for e in evaluations]
    for word in dict.fromkeys(word for each in settings for word in each):
        rows[word[:1].upper() + word[1:]] = [each.get(word, "") for each in settings]
    return {word: cells for word, cells in rows.items() if any(cells)}


def _list(names):
    more = len(names) - _LISTED
    return ", ".join(map(str, names[:_LISTED])) + (
        f" and {more:,} more" if more > 0 else "")


def _headline(evaluations):
    """Rows of scores over runs; the best is marked if the intervals do not overlap."""
    x, y = evaluations[0].x, evaluations[0].y
    same = all(np.array_equal(x, e.x) and np.array_equal(y, e.y) for e in evaluations)
    names = list(dict.fromkeys(n for e in evaluations for n in e.headline))
    rows = []
    for name in names:
        values = [e.headline.get(name) for e in evaluations]
        title, meaning, better = _words(name)
        best = _best(values, better) if same else None
        digits = max(_digits(value) for value in values)
        rows.append({"title": title, "meaning": meaning, "better": better, "cells": [
            {**_cell(value, digits), "best": run == best}
            for run, value in enumerate(values)]})
    return {"rows": rows, "same": same,
            "marked": any(c["best"] for r in rows for c in r["cells"])}


def _best(values, better):
    """Index of the interval that is better than all others, or `None`."""
    ends = [_ends(value) for value in values if value is not None]
    if better == _NEITHER or len(ends) < 2 or len(ends) < len(values) or any(
            not math.isfinite(end) for pair in ends for end in pair):
        return None
    for run, (low, high) in enumerate(ends):
        others = ends[:run] + ends[run + 1:]
        if all(low > h for _, h in others) if better == _UP else all(
                high < lo for lo, _ in others):
            return run
    return None


def _table(groups):
    """Rows by group and their columns, in the form that the template reads."""
    groups = {name: rows for name, rows in groups.items() if rows}
    columns = list(dict.fromkeys(
        c for rows in groups.values() for row in rows.values() for c in row))
    return {"columns": [_words(column) for column in columns], "groups": {
        name: [(_spaced(word), [_cell(row.get(c), scale=1e3 if c in _SMALL else 1.0)
                                for c in columns]) for word, row in rows.items()]
        for name, rows in groups.items()}}


def _shift(evaluation):
    """Scores of clean images, and of each corruption at the highest severity."""
    tables = {name: {k: v for k, v in table.items() if k != "severity"}
              for name, table in evaluation.shift.items()}
    if not tables:
        return {}
    first = next(iter(tables.values()))
    worst = {name: {k: v[-1] for k, v in table.items()}
             for name, table in tables.items()}
    mean = {k: np.mean([row[k] for row in worst.values()]) for k in first}
    return {"clean images": {k: v[0] for k, v in first.items()},
            **worst, "mean of all": mean}


def _meanings(tables):
    """Meanings of the columns of several tables, without repetition."""
    return {title: rest for table in tables for title, *rest in table["columns"]
            if rest[0]}


def _words(name):
    return _SCORES.get(name, (_spaced(name), "", _NEITHER))


def _spaced(name):
    """`ShotNoise` and `shot_noise` as words."""
    return re.sub("(?<=[a-z])(?=[A-Z])|_", " ", str(name)).lower()


def _ends(value):
    return (value.low, value.high) if hasattr(value, "low") else (math.nan,) * 2


def _digits(value):
    """Decimals that the width of an interval allows; 0 without an interval."""
    low, high = _ends(value)
    if not 0 < high - low < math.inf:
        return 0
    # The half width has two digits if its first digit is 1 or 2.
    return max(0, math.ceil(-math.log10((high - low) / 6)))


def _cell(value, digits=0, scale=1.0):
    """Text of a number, and of its interval if it has one."""
    if value is None:
        return {"text": "–", "interval": ""}
    ends = [scale * end for end in _ends(value)]
    digits = max(digits, _digits(value))
    value = scale * float(getattr(value, "value", value))
    if not math.isfinite(sum(ends)):
        return {"text": _plain(value), "interval": ""}
    if ends[0] == ends[1]:  # An interval of width 0 allows all digits.
        digits = max(digits, 3)
    # For a very narrow interval, a power of ten is shorter than many zeros.
    form = f".{digits}f" if digits <= 6 else ".3g"
    low, high = (f"{end:{form}}" for end in ends)
    return {"text": f"{value:{form}}", "interval": f"{low} to {high}"}


def _plain(value):
    """Text of a number without an interval: four digits, at most three decimals."""
    if not math.isfinite(value):
        return "–"
    if 0 < value < 5e-4:
        return "<0.001"
    if abs(value) >= 1e3:
        return f"{value:.4g}"
    return f"{value:.{3 - max(0, len(str(int(abs(value)))) - 1)}f}"
