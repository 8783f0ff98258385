"""The callback writes the logs of all epochs, and figures of held-out rows."""

import copy

import numpy as np
import pytest

import bdlzoo
from bdlzoo.reports import Report

X = np.random.default_rng(0).normal(size=(24, 4)).astype("float32")
Y = (X[:, 0] > 0).astype("int32")


class Notes:
    """A tracker that keeps what it is told."""

    def __init__(self):
        self.facts, self.rows, self.drawn, self.is_closed = None, [], [], False

    def begin(self, facts):
        self.facts = facts

    def scalars(self, numbers, epoch):
        self.rows.append((epoch, numbers))

    def figure(self, name, figure, epoch):
        self.drawn.append((epoch, name, figure))

    def end(self):
        self.is_closed = True


def _silent():
    """A report that writes nowhere."""
    return Report(X, Y, to=[], every=9)


def _fitted(report, y=Y, likelihood="categorical", epochs=3, method="MCDropout",
            **options):
    network = bdlzoo.networks.MLP((4,), outputs=2 if y is Y else 1, hidden=(4,),
                                  dropout=0.5 if method == "MCDropout" else 0.0)
    model = getattr(bdlzoo.methods, method)(network, likelihood, seed=1, **options)
    model.compile("adam" if method == "MCDropout" else "sgd")
    model.fit(X, y, epochs=epochs, batch_size=24, verbose=0, callbacks=[report])
    return model


def test_epochs_have_their_numbers_and_some_have_figures():
    notes = Notes()
    model = _fitted(Report(X, Y, to=notes, outside={"far": 9.0 * X}, every=2,
                           num_samples=4))
    assert notes.facts["method"] == "MCDropout" and notes.facts["seed"] == 1
    assert notes.facts["learning_rate"] == pytest.approx(1e-3)
    assert [epoch for epoch, _ in notes.rows] == [0, 1, 2]
    assert {"loss", "accuracy"} <= notes.rows[0][1].keys()
    assert [(epoch, name) for epoch, name, _ in notes.drawn] == [
        (1, "reliability"), (1, "uncertainty"), (2, "reliability"), (2, "uncertainty")]
    assert notes.is_closed
    # The last figure is that of the trained model, with the draws of the seed.
    diagram, histogram = (figure for epoch, _, figure in notes.drawn if epoch == 2)
    found = model.predict_uncertainty(X, num_samples=4, seed=0)
    confidence = diagram.axes[0].lines[1].get_xdata()
    assert (np.min(found.confidence) - 1e-6 <= confidence).all()
    assert (confidence <= np.max(found.confidence) + 1e-6).all()
    assert sum(bar.get_height() for bar in diagram.axes[1].patches) == 24
    assert "Mutual information" in histogram.axes[0].get_title()
    labels = [text.get_text() for text in histogram.axes[0].get_legend().get_texts()]
    assert labels == ["validation", "far"]


def test_numbers_have_coverage_and_one_hot_rows_have_classes():
    notes = Notes()
    _fitted(Report(X, X[:, 1:2], to=notes, every=9), X[:, 1:2], "gaussian", epochs=1)
    assert [name for _, name, _ in notes.drawn] == ["coverage", "uncertainty"]
    report = Report(X, np.eye(2)[Y])
    report.set_model(_fitted(_silent()))
    assert report.figures().keys() == {"reliability", "uncertainty"}


def test_samplers_have_figures_from_their_first_sample_on():
    notes = Notes()
    _fitted(Report(X, Y, to=notes), method="SGLD", burn_in=2, thinning=1, num_kept=1,
            prior_scale=1.0, epochs=4)
    assert [epoch for epoch, _ in notes.rows] == [0, 1, 2, 3]
    first = min(epoch for epoch, *_ in notes.drawn)
    assert first >= 1 and {epoch for epoch, *_ in notes.drawn} == set(range(first, 4))


def test_tuners_can_copy_it(tmp_path):
    report = copy.deepcopy(Report(X, Y, to=[tmp_path / "logs", Notes()]))
    _fitted(report, epochs=1)
    assert list(tmp_path.glob("logs/events*")) and report.trackers[1].is_closed


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="every=0"):
        Report(X, Y, every=0)
