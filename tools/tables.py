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


_LENET5 = ("Published: the VI rows of the uncertainty baselines. The KL counts for "
           "a twentieth, a cold posterior: at full weight six epochs are too few. "
           "58,000 images train, 2,000 calibrate the temperature, 10,000 test.")

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
    "lenet5": Table(
        title="LeNet-5 of the uncertainty baselines, Flipout",
        metrics=("accuracy", "nll", "ece", "brier"),
        rows=(Row("Fashion-MNIST, Flipout", "fashion_mnist/mean_field_vi.py",
                  dict(accuracy=0.895, nll=0.292, ece=0.011)),
              Row("MNIST, Flipout", "mnist/mean_field_vi.py",
                  dict(accuracy=0.985, nll=0.048, ece=0.010))),
        note=_LENET5),
    "concrete_toy": Table(
        title="Concrete dropout on a line, 3 x 1024 units",
        metrics=("rate_input", "rate_hidden", "epistemic_std", "aleatoric_std"),
        rows=tuple(Row(f"{count} rows", "concrete_dropout_toy",
                       dict(rate_hidden=rate, rate_input=0.075),
                       dict(num_data=count))
                   for count, rate in ((10, 0.40), (100, 0.24), (10000, 0.13))),
        note="Gal, Hron and Kendall (2017), read off the authors' notebook. Adam "
             "moves a logit by about 0.001 a step, and the notebook's steps fall "
             "with the rows (2000, 1000, 1000): the rates at 10 and 100 rows are "
             "set by the number of steps, not by the data."),
    "concrete_mnist": Table(
        title="Concrete dropout, LeNet on MNIST",
        metrics=("accuracy", "nll", "ece", "brier"),
        rows=(Row("concrete dropout", "mnist/concrete_dropout.py",
                  dict(accuracy=0.987)),),
        note="The published accuracy is that of the authors' notebook, another "
             "convolutional network, 20 epochs.",
        num_seeds=1),
    "random_labels": Table(
        title="Random labels, 5,000 images, 2 x 400 units",
        metrics=("train_loss", "train_accuracy", "test_loss", "test_accuracy", "kl"),
        rows=tuple(
            Row(f"{label}, {'with' if weight else 'no'} KL", "random_labels",
                dict(zip(("train_loss", "train_accuracy", "test_loss",
                          "test_accuracy", "kl"), figures)),
                dict(name=name, kl_weight=weight))
            for label, name, weight, figures in (
                ("MNIST", "mnist", 0.0, (0.04, 0.986, 13.77, 0.11, 54447932)),
                ("MNIST", "mnist", 1.0, (2.32, 0.112, 2.31, 0.12, 5558)),
                ("Fashion", "fashion_mnist", 0.0, (0.01, 0.997, 12.97, 0.09, 28423410)),
                ("Fashion", "fashion_mnist", 1.0, (2.31, 0.124, 2.31, 0.13, 261)))),
        note="Published values from the slides, whose network, prior and number of "
             "images are not given: the contrast is what can be compared, not the "
             "KL. Labels of the test set are random as well.",
        num_seeds=1),
    "learner_complexity": Table(
        title="Gradient-flow learner complexity A, lambda = sqrt(m)",
        metrics=("complexity",),
        rows=tuple(
            Row(f"{label}, {'linear' if depth == 1 else f'{depth} layers'}",
                "learner_complexity", dict(complexity=value),
                dict(name=name, depth=depth, prior_scale=scale))
            for label, name, scale, values in (
                ("MNIST", "mnist", 0.077, (66.23, 1.48, 1.02, 1.00, 1.00)),
                ("CIFAR-10", "cifar10", 0.054, (2983.87, 1.00, 1.00, 1.00, 1.00)))
            for depth, value in enumerate(values, start=1)),
        note="The slides give neither lambda nor the prior. Here lambda = sqrt(m); "
             "the width, 32, and the prior scale, 0.077, were chosen by the first two "
             "MNIST values, the scale for CIFAR-10, 0.054, by its linear value: the "
             "trend over the other depths is what can be compared."),
    "vardo": Table(
        title="CIFAR-10 networks meet Fashion-MNIST",
        metrics=("accuracy", "entropy", "ood_loss", "ood_accuracy", "ood_entropy"),
        rows=tuple(
            Row(f"{label}({rate:g})", "vardo_table",
                dict(ood_loss=loss, ood_accuracy=accuracy, ood_entropy=entropy),
                dict(predictor=predictor, rate=rate))
            for rate, figures in (
                (0.1, ((3.78, 0.123, 1.51), (3.79, 0.123, 1.50), (2.47, 0.112, 2.15))),
                (0.3, ((3.55, 0.112, 1.51), (3.55, 0.112, 1.51), (3.45, 0.091, 1.71))))
            for (predictor, label), (loss, accuracy, entropy) in zip(
                (("softmax", "Softmax"), ("mc", "MC"), ("vardo", "VARDO")), figures)),
        note="Published values are against SVHN, from the slides, with networks and "
             "training that are not given; here the first 10,000 training images and "
             "a small network. The highest entropy of ten classes is 2.303. VARDO is "
             "less sure of the out set as in the slides, but of CIFAR-10 as well.",
        num_seeds=1),
    "certificate": Table(
        title="Certified 0-1 risk on MNIST, confidence 0.95",
        metrics=("certified_risk", "risk_mc", "kl", "test_error", "mean_error",
                 "prior_error", "num_draws", "delta", "delta_mc"),
        rows=(Row("MLP 3 x 600, learnt prior", "certified_risk",
                  dict(certified_risk=0.03)),),
        note="Perez-Ortiz et al. (2021) publish about 0.03 for multilayer "
             "perceptrons with learnt priors. Half of the training rows made the "
             "prior, the certificate is on the other half: kl form, both deltas in "
             "the table. Scale and epochs of the prior were chosen among about three "
             "settings on rows of the certificate, which at delta / 3 would cost "
             "0.0003 more.",
        num_seeds=1),
    "dropout_family": Table(
        title="Bundled digits: the dropout family and mean-field VI, 30 epochs",
        metrics=("accuracy", "nll", "ece", "brier", "auroc_noise",
                 "auroc_permuted"),
        rows=(Row("Flipout, learnt prior", "digits/mean_field_vi.py"),
              Row("VARDO", "digits/vardo.py"),
              Row("variational dropout", "digits/variational_dropout.py"),
              Row("concrete dropout", "digits/concrete_dropout.py"),
              Row("Gaussian dropout", "digits/gaussian_dropout.py"),
              Row("channel dropout", "digits/channel_dropout.py")),
        note="Our own baseline, to be read beside the table of the digits above. In "
             "the first three rows the KL counts for a twentieth.",
        num_seeds=2),
}
