"""One HTML file that says how right and how sure models are.

It holds its style and its images, needs neither a network nor a script, and is
made to be read on a phone, on a screen, and on paper. What there is to say of
a figure stands in `report.html.j2`, its numbers are put together here.

An evaluation is read by its attributes: `name`, `x`, `y`, `prediction`,
`headline`, `class_names`, `uncertainty`, `failures`, `outside`, `detection`,
`shift`, `settings`, `band`; see `bdlzoo.evaluation.evaluation.Evaluation`.
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
_SMALL = ("aurc", "e_aurc")  # Given in thousandths, as papers do.
_UP, _DOWN, _NEITHER = 1, -1, 0
# Title, meaning, and where better is.
_SCORES = {
    "accuracy": ("Accuracy", "share of right predictions", _UP),
    "nll": ("NLL", "negative log likelihood of the targets, in nats", _DOWN),
    "brier": ("Brier score", "squared error of the probabilities", _DOWN),
    "ece": ("ECE", "gap between confidence and accuracy", _DOWN),
    "rmse": ("RMSE", "root of the mean squared error", _DOWN),
    "crps": ("CRPS", "distance of prediction and target, in their unit", _DOWN),
    "coverage": ("Coverage", "targets inside of the 95 % interval; 0.95 is right",
                 _NEITHER),
    "interval_width": ("Interval width", "of the 95 % interval, in the unit of the "
                       "targets; narrow is good if coverage is right", _NEITHER),
    "auroc_failures": ("AUROC of failures", "chance that a wrong prediction is less "
                       "sure than a right one", _UP),
    "entropy": ("Entropy", "mean uncertainty of the predictions, in nats", _NEITHER),
    "auroc": ("AUROC", "chance that a row to flag ranks above one to accept; 0.5 is "
              "guessing", _UP),
    "fpr95": ("FPR95", "share of rows to flag that pass where 95 % of the others do",
              _DOWN),
    "ap_errors": ("AP errors", "precision at finding wrong predictions", _UP),
    "ap_success": ("AP success", "precision at finding right predictions", _UP),
    "aurc": ("AURC ×1000", "mean risk over all coverages", _DOWN),
    "e_aurc": ("E‑AURC ×1000", "the same, above that of a perfect ranking", _DOWN),
    "aupr_out": ("AUPR out", "precision at finding outsiders", _UP),
    "aupr_in": ("AUPR in", "precision at finding test rows", _UP),
    "detection_error": ("Error", "share of errors at the best threshold", _DOWN),
}


@dataclasses.dataclass
class Plot:
    """A figure of the report, in the page and as a file."""

    name: str  # Fit for a file; ends in the number of its run if there are several.
    kind: str
    run: int | None  # `None` where all runs are in one figure.
    alt: str
    figure: typing.Any

    @functools.cached_property
    def png(self):
        """Bytes of the picture; drawing it is most of the work of a report."""
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=_DPI,
                            metadata={"Software": None})
        return buffer.getvalue()


def html_report(evaluations, title="Evaluation", plots=None):
    """Writes one or several evaluations, side by side, as one HTML page.

    Args:
        evaluations: List of `Evaluation`, all of classes or all of numbers.
        title: String, headline of the page.
        plots: What `draw` made of them; `None` draws them.

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
    """A template of this folder, by the name of its file."""
    import jinja2
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent))
    return environment.get_template(name)


def draw(evaluations):
    """The figures of the report.

    Args:
        evaluations: See `html_report`.

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
            "Expected evaluations of classes, or of numbers, in one report: their "
            "scores cannot stand side by side. Write two reports. Received: "
            + ", ".join(f"{e.name!r} of {'classes' if k else 'numbers'}"
                        for e, k in zip(evaluations, kinds)))


def _plots(evaluations):
    """Yields what the data allow."""
    names = [_drawable(name) for name in _names(evaluations)]
    runs = list(enumerate(zip(names, evaluations)))
    draw = _class_plots if evaluations[0].is_classifier else _number_plots
    for run, (name, evaluation) in runs:
        for kind, alt, figure in draw(evaluation):
            yield kind, run, f"{alt}: {evaluation.name}", figure
    if evaluations[0].is_classifier:
        yield ("risk_coverage", None, "Risk against coverage of all models",
                    risk_coverage(_risks(runs)))
    shifts = {name: e.shift for _, (name, e) in runs if e.shift}
    if shifts:
        yield ("shift", None, "Scores against the severity of corruptions",
                    shift_curves(shifts))


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
    if e.x.ndim == 4:
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
    """The uncertainty to draw: total entropy, which every model has."""
    shared = [name for name in evaluation.uncertainty if evaluation.outside and all(
        name in scores for scores in evaluation.outside.values())]
    return "entropy" if "entropy" in shared else next(iter(shared), None)


def _risks(runs):
    """Errors and confidence by model; by score where there is one model."""
    if len(runs) == 1:
        [(_, (_, e))] = runs
        errors = e.prediction.label != np.ravel(e.y)
        scores = {name.replace("_", " "): -e.uncertainty[name] for name in _COMPARED
                  if np.ptp(e.uncertainty.get(name, 0.0))}  # A constant ranks none.
        return {name: (errors, confidence) for name, confidence in (
            scores or {"confidence": e.prediction.confidence}).items()}
    return {name: (e.prediction.label != np.ravel(e.y), _confidence(e))
            for _, (name, e) in runs}


def _confidence(e):
    # As log odds where they are there: in float32 many probabilities are 1.
    return (-e.uncertainty["max_probability"] if "max_probability" in e.uncertainty
            else e.prediction.confidence)


def _names(evaluations):
    """Names of the runs, numbered where they are the same."""
    names = [str(e.name) for e in evaluations]
    return [f"{name} ({names[:i].count(name) + 1})" if names.count(name) > 1
            else name for i, name in enumerate(names)]


def _drawable(name):
    """A name that matplotlib draws as it is, in a legend too."""
    name = " ".join(str(name).split())
    if len(name) > _LONGEST:
        name = f"{name[:_LONGEST - 1]}…"
    if name.startswith("_"):
        name = f" {name}"  # An underscore would hide it from legends.
    return name.replace("$", r"\$")


def image(plot):
    """A figure as the template wants it."""
    width, height = plot.figure.get_size_inches() * _CSS_DPI
    return {"run": plot.run, "alt": plot.alt, "width": round(width),
            "height": round(height),
            "data": base64.b64encode(plot.png).decode()}


def _facts(evaluations):
    """What was evaluated: a row of words, and what to say for each run."""
    rows = collections.defaultdict(list)
    for e in evaluations:
        rows["Test rows"].append(f"{len(e.x):,}")
        rows["Shape of a row"].append(" × ".join(map(str, e.x.shape[1:])) or "1")
        if e.is_classifier:
            rows["Classes"].append(f"{len(e.class_names)}: {_list(e.class_names)}")
            draws = e.prediction.log_probs.shape[0]
            wrong = int(np.sum(e.prediction.label != np.ravel(e.y)))
            rows["Wrong predictions"].append(f"{wrong:,}")
        else:
            rows["Targets of a row"].append(str(np.size(e.y) // len(e.x)))
            draws = e.prediction.means.shape[0]
        rows["Draws of the model"].append(f"{draws:,}")
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
    """Rows of scores over runs, the best marked where intervals tell it."""
    first = evaluations[0]
    same = all(np.array_equal(first.x, e.x) and np.array_equal(first.y, e.y)
               for e in evaluations)
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
    """Which interval lies clear of all others on the good side, or `None`."""
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
    """Rows by group and the columns they share, as the template wants them."""
    groups = {name: rows for name, rows in groups.items() if rows}
    columns = list(dict.fromkeys(
        c for rows in groups.values() for row in rows.values() for c in row))
    return {"columns": [_words(column) for column in columns], "groups": {
        name: [(_spaced(word), [_cell(row.get(c), scale=1e3 if c in _SMALL else 1.0)
                                for c in columns]) for word, row in rows.items()]
        for name, rows in groups.items()}}


def _shift(evaluation):
    """Scores of clean images, and of each corruption at its worst."""
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
    """What the columns of some tables mean: each once."""
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
    """Digits behind the point that an interval supports; 0 without one."""
    low, high = _ends(value)
    if not 0 < high - low < math.inf:
        return 0
    # Its half width is given to two digits where it begins with 1 or 2.
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
    if ends[0] == ends[1]:  # A point supports any digits.
        digits = max(digits, 3)
    # A very narrow one: powers of ten are shorter than a row of zeros.
    form = f".{digits}f" if digits <= 6 else ".3g"
    low, high = (f"{end:{form}}" for end in ends)
    return {"text": f"{value:{form}}", "interval": f"{low} to {high}"}


def _plain(value):
    """A number without an interval: four digits, or three behind the point."""
    if not math.isfinite(value):
        return "–"
    if 0 < value < 5e-4:
        return "<0.001"
    if abs(value) >= 1e3:
        return f"{value:.4g}"
    return f"{value:.{3 - max(0, len(str(int(abs(value)))) - 1)}f}"
