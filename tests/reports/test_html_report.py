"""Tests of the page: what stands in it, and that nothing can break it."""

import html.parser
import re

import numpy as np
import pytest

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.interval import Interval
from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.data import Split
from bdlzoo.evaluation.evaluation import Evaluation
from bdlzoo.reports import html_report as module
from bdlzoo.reports.html_report import draw, html_report

BAD = "<script>alert(1)</script>"


def classifier(name="first", seed=0, rows=40, images=True, protocols=True,
               class_names=("cat", "dog", "a&b"), accuracy=(0.8, 0.7, 0.9)):
    """A small evaluation of random predictions on the same rows."""
    x = np.random.default_rng(0).uniform(
        size=(rows, 6, 6, 1) if images else (rows, 3))
    y = np.arange(rows) % 3
    rng = np.random.default_rng(seed)
    prediction = ClassPrediction(
        np.log(rng.dirichlet(np.ones(3), (4, rows))).astype("float32"))
    scores = {"max_probability": 1 - prediction.confidence,
              "entropy": prediction.predictive_entropy}
    found = Evaluation(name, x, y, prediction, {
        "accuracy": Interval(*accuracy), "nll": Interval(0.5, 0.4, 0.61)},
        class_names, uncertainty=scores)
    if protocols:
        found.failures = {n: {"auroc": 0.75, "aurc": 0.0123} for n in scores}
        found.outside = {"noise": {n: s[:20] + 0.3 for n, s in scores.items()}}
        found.detection = {"noise": {n: {"auroc": 0.875, "fpr95": 2e-5}
                                     for n in scores}}
        lists = {"severity": [0, 1], "accuracy": [0.8, 0.625], "nll": [0.5, 1.0],
                 "ece": [0.1, 0.2]}
        found.shift = {"ShotNoise": lists,
                       "Zoom": {**lists, "accuracy": [0.8, 0.125]}}
        found.settings = {"corrupted images": "40"}
    return found


def regression(name="curve", band=True):
    x = np.linspace(-1, 1, 30, dtype="float32")[:, None]
    prediction = RegressionPrediction(
        np.stack([x, 1.1 * x]), np.full((2, 30, 1), 0.1, "float32"))
    return Evaluation(name, x, x**2, prediction,
                      {"rmse": Interval(12.345, 11.0, 14.0)},
                      band=(x, prediction, Split(x, x[:, 0])) if band else None)


class _Reader(html.parser.HTMLParser):
    """Keeps tags, and complains where they are not closed in order."""

    EMPTY = {"meta", "link", "img"}

    def __init__(self, page):
        super().__init__()
        self.tags, self.open, self.text = [], [], ""
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] not in (["style"], ["script"]):
            self.text += data

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module")
def page():
    return html_report([classifier("first", accuracy=(0.957, 0.948, 0.966)),
                        classifier("second", 1)], "Two models")


def test_page_is_one_file_of_well_formed_parts(page):
    reader = _Reader(page)
    assert reader.all("html") == [{"lang": "en"}]
    assert "width=device-width" in str(reader.all("meta"))
    assert not reader.all("script")
    sources = [a[key] for _, a in reader.tags for key in ("src", "href") if key in a]
    assert all(s.startswith(("data:", "#")) for s in sources)
    assert not re.search(r"url\(|@import", page)
    ids = {a["id"] for _, a in reader.tags if "id" in a}
    assert {s[1:] for s in sources if s.startswith("#")} == ids


def test_every_image_has_words_and_a_size(page):
    images = _Reader(page).all("img")
    assert len(images) == 2 * 6 + 2  # Of each run, and two with both in them.
    for image in images:
        assert len(image["alt"]) > 10
        assert int(image["width"]) > 100 and int(image["height"]) > 100


def test_runs_stand_side_by_side_with_digits_that_intervals_support(page):
    row = re.search(r"<tr><th scope=\"row\">Accuracy.*?</tr>", page, re.S)[0]
    texts = re.findall(r'class="(?:value|interval)">([^<]*)<', row)
    # A half width of 0.009 supports three digits, and a row has one format.
    assert texts == ["0.957", "0.948 to 0.966", "0.800", "0.700 to 0.900"]


def test_best_is_said_only_where_intervals_are_clear_of_each_other(page):
    marked = re.findall(r'<td class="best"><span class="value">([^<]*)', page)
    assert marked == ["0.957"]  # Not the NLL, which is the same.


@pytest.mark.parametrize("better, ends, best", [
    (1, [(0.1, 0.2), (0.3, 0.4)], 1), (-1, [(0.1, 0.2), (0.3, 0.4)], 0),
    (1, [(0.1, 0.31), (0.3, 0.4)], None), (0, [(0.1, 0.2), (0.3, 0.4)], None),
    (1, [(0.3, 0.4)], None), (1, [(0.1, 0.2), (np.nan, np.nan)], None)])
def test_best_interval_lies_clear_on_the_good_side(better, ends, best):
    intervals = [Interval(np.mean(pair), *pair) for pair in ends]
    assert module._best(intervals, better) == best


def test_models_of_different_rows_are_not_compared():
    one, other = regression("one", band=False), regression("other", band=False)
    other.headline = {"rmse": Interval(1.0, 0.9, 1.1)}
    assert 'class="best"' in html_report([one, other])
    other.x = other.x + 1
    page = html_report([one, other])
    assert 'class="best"' not in page and "different rows" in page


@pytest.mark.parametrize("value, text, interval", [
    (Interval(0.9571, 0.9482, 0.9660), "0.957", "0.948 to 0.966"),
    (Interval(0.95713, 0.9559, 0.9583), "0.9571", "0.9559 to 0.9583"),
    (Interval(1234.5, 1100.0, 1400.0), "1234", "1100 to 1400"),
    (Interval(3e-9, 2e-9, 4e-9), "3e-09", "2e-09 to 4e-09"),
    (Interval(1.0, 1.0, 1.0), "1.000", "1.000 to 1.000"),
    (Interval(0.9, np.nan, np.nan), "0.900", ""),
    (0.12345, "0.123", ""), (2e-5, "<0.001", ""), (0.0, "0.000", ""),
    (25.9, "25.90", ""), (114.25, "114.2", ""), (12345.6, "1.235e+04", ""),
    (np.nan, "–", ""), (None, "–", "")])
def test_numbers_have_the_digits_that_they_deserve(value, text, interval):
    assert module._cell(value) == {"text": text, "interval": interval}


def test_tables_hold_what_was_measured(page):
    text = " ".join(_Reader(page).text.split())
    for words in ("max probability", "0.875", "<0.001", "12.30", "shot noise",
                  "mean of all", "0.375", "Corrupted images", "noise (20)",
                  "3: cat, dog, a&b"):
        assert words in text, words


def test_page_stays_small(page):
    assert len(page) < 3e6


def test_names_from_outside_are_harmless():
    evaluation = classifier(f"{BAD} $\\frac{{$ _a", rows=3,
                            class_names=(BAD, "a&b", "$_$"))
    evaluation.outside = {BAD: evaluation.outside["noise"],
                          "_hidden$": evaluation.outside["noise"]}
    evaluation.detection = {BAD: evaluation.detection["noise"]}
    evaluation.settings = {BAD: BAD}
    page = html_report([evaluation, evaluation], title=BAD)
    reader = _Reader(page)
    assert not reader.all("script") and "<script" not in page
    assert reader.text.count(BAD) > 5
    assert f"{BAD} $\\frac{{$ _a (2)" in reader.text  # The same name is numbered.


def test_underscores_and_dollars_reach_legends():
    assert module._drawable("_a$b$ \n c") == r" _a\$b\$ c"
    assert len(module._drawable(50 * "a")) == 28


def test_sections_without_data_are_left_out():
    page = html_report([classifier(images=False, protocols=False)])
    assert {"outside", "images", "shift", "curve"}.isdisjoint(
        a["id"] for a in _Reader(page).all("h2"))
    assert len(_Reader(page).all("img")) == 3


@pytest.mark.parametrize("wrong", [False, True])
def test_all_right_and_all_wrong_are_drawn(wrong):
    evaluation = classifier(images=False, protocols=False)
    evaluation.y = (evaluation.prediction.label + wrong) % 3
    assert f"Wrong predictions</th>\n<td>{40 * wrong}<" in html_report([evaluation])


def test_regression_has_its_own_sections():
    page = html_report([regression("one"), regression("two", band=False)])
    reader = _Reader(page)
    assert [a["id"] for a in reader.all("h2")] == [
        "scores", "data", "curve", "intervals"]
    assert len(reader.all("img")) == 3
    assert "12.3" in reader.text and "11.0 to 14.0" in reader.text


def test_figures_are_named_by_run_where_there_are_several():
    one = draw([classifier(protocols=False)])
    assert {plot.name for plot in one} == {
        "reliability", "confidence", "risk_coverage", "most", "least"}
    two = draw([regression("one"), regression("two", band=False)])
    assert {plot.name for plot in two} == {"band_1", "calibration_1", "calibration_2"}


def test_one_model_is_ranked_by_several_scores_and_many_by_their_own():
    def curves(evaluations):
        [plot] = [p for p in draw(evaluations) if p.kind == "risk_coverage"]
        [axes] = plot.figure.axes
        return [line.get_label() for line in axes.lines][:2]

    plain = {"images": False, "protocols": False}
    assert curves([classifier(**plain)]) == ["max probability", "entropy"]
    assert curves([classifier("a", **plain), classifier("b", 1, **plain)]) == [
        "a", "b"]


@pytest.mark.parametrize("make", [html_report, draw])
def test_nothing_and_mixtures_are_refused(make):
    with pytest.raises(ValueError, match="Received: none"):
        make([])
    with pytest.raises(ValueError,
                       match="'first', a classifier, 'curve', a regression"):
        make([classifier(), regression()])
