"""Rows and tables: what was published, and how it is run here."""

import collections.abc
import dataclasses

SUBJECTS = (
    "Accuracy and calibration", "Regression and forecasts", "Errors and outside sets",
    "Attacks", "Active learning", "Few labels", "Posteriors of weights",
    "Learnt structures", "Segmentation", "Bounds and complexity", "Density models",
    "Decisions",
    "Toys")


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of a table.

    Args:
        label: Name of the line.
        source: Config file below `configs/`, or an experiment: the name of a
            module of `tools.reproduce`, whose `run(seed, **changes)` gives scores.
        published: Published values by metric, empty where there are none.
        changes: Values that differ from the config, by dotted key, or the
            arguments of the experiment.
    """

    label: str
    source: str
    published: dict = dataclasses.field(default_factory=dict)
    changes: dict = dataclasses.field(default_factory=dict)

    @property
    def experiment(self):
        return not self.source.endswith(".py")


@dataclasses.dataclass(frozen=True)
class Table:
    """A published table, or one of our own, at the scale of two cores.

    Args:
        name: Name for `--table`, and of the files below `docs/results`.
        title: Headline of its page.
        subject: One of `SUBJECTS`.
        metrics: Names of the columns, keys of `metrics.json`.
        rows: Lines.
        note: Where published values come from, and what differs here.
        num_seeds: Runs of a line.
        runs: Name of the table whose runs these are too; empty for its own.
        headline: Pairs of a label and a metric, the figures that `docs/results.md`
            shows; empty is the first published value, or else the first figure.
        incomparable: Why published figures are not compared with ours; empty where
            they are.
        figures: Names of pictures below `docs/figures`.
        reading: Function of the results that returns sentences, what the figures say;
            `None` for none.
        few_seeds: Why there are fewer than three runs of a line, a sentence.
        chosen_on: Seeds on which settings were chosen. They stand in no mean.
        reasons: Dictionary from the label of a line, or a pair of label and metric, to
            a sentence that says why its published value is not reproduced, by what
            was tried.
    """

    name: str
    title: str
    subject: str
    metrics: tuple
    rows: tuple
    note: str
    num_seeds: int = 3
    runs: str = ""
    headline: tuple = ()
    incomparable: str = ""
    figures: tuple = ()
    reading: collections.abc.Callable | None = None
    few_seeds: str = ""
    chosen_on: tuple = ()
    reasons: dict = dataclasses.field(default_factory=dict)
