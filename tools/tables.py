"""The tables that `tools.reproduce` knows: what was published, and how we run it."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of a table.

    Args:
        label: What the line is called.
        source: Config file below `configs/`, or an experiment: the name of a
            module of `bdlzoo.tasks`, whose `run(seed, **changes)` gives scores.
        published: Published values by metric, empty where none is printed.
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
        title: Headline.
        metrics: Names of the columns, keys of `metrics.json`.
        rows: Lines.
        note: Where published values come from, and what differs here.
        num_seeds: Runs of a line.
    """

    title: str
    metrics: tuple
    rows: tuple
    note: str
    num_seeds: int = 3


TABLES = {
    "mnist": Table(
        title="MNIST, LeNet 20-50-500, 6 epochs",
        metrics=("accuracy", "nll", "ece", "brier"),
        rows=(Row("MC dropout, 50 draws", "mnist/mc_dropout.py"),
              Row("deterministic", "mnist/deterministic.py")),
        note="Gal and Ghahramani (2015) show the test error of this network as "
             "curves without figures, so no value is quoted; the curve is in "
             "`docs/figures/dropout_error.png`. 58,000 images train, 2,000 "
             "calibrate the temperature, 10,000 test."),
    "digits": Table(
        title="Bundled digits (8 x 8), small convolutional network, 30 epochs",
        metrics=("accuracy", "nll", "ece", "brier", "auroc_noise",
                 "auroc_permuted"),
        rows=(Row("MC dropout, 64 draws", "digits/mc_dropout.py"),
              Row("deterministic", "digits/deterministic.py")),
        note="Our own baseline, there is no published table. AUROC: mutual "
             "information of uniform noise, and of digits with permuted pixels, "
             "against the test set; a deterministic network has none."),
    "breast_cancer": Table(
        title="Breast cancer, Bernoulli likelihood, 50 hidden units",
        metrics=("accuracy", "nll", "ece", "brier"),
        rows=(Row("MC dropout, 100 draws", "breast_cancer/mc_dropout.py"),
              Row("deterministic", "breast_cancer/deterministic.py")),
        note="Our own baseline, 113 test rows."),
    "diabetes": Table(
        title="Diabetes, Gaussian likelihood with learnt noise, 50 hidden units",
        metrics=("rmse_raw", "nll_raw", "crps", "coverage"),
        rows=(Row("MC dropout, 100 draws", "diabetes/mc_dropout.py"),
              Row("deterministic", "diabetes/deterministic.py")),
        note="Our own baseline, 88 test rows; RMSE and NLL in raw units, CRPS of "
             "standardised targets, coverage of the central 95 % interval."),
    "sine": Table(
        title="One-dimensional toy, heteroscedastic Gaussian likelihood",
        metrics=("rmse", "nll", "crps", "coverage"),
        rows=(Row("MC dropout, 100 draws", "sine/mc_dropout.py"),
              Row("deterministic", "sine/deterministic.py")),
        note="Our own baseline; the picture is "
             "`docs/figures/heteroscedastic_toy.png`."),
}
