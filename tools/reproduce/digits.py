"""Bundled digits: baselines, the dropout family and mean-field VI."""

from tools.reproduce.table import Row, Table

_METRICS = ("accuracy", "nll", "ece", "brier", "auroc_uniform", "auroc_permuted")
_AUROC = ("AUROC: the entropy tells test images from uniform noise, and from digits "
          "with permuted pixels.")

TABLES = (
    Table(
        name="digits",
        title="Bundled digits (8 x 8), small convolutional network, 30 epochs",
        subject="Accuracy and calibration",
        metrics=_METRICS,
        rows=(Row("MC dropout, 64 draws", "digits/mc_dropout.py"),
              Row("deterministic", "digits/deterministic.py")),
        note=f"Our own baseline; there is no published table. {_AUROC}"),
    Table(
        name="dropout_family",
        title="Bundled digits: the dropout family and mean-field VI, 30 epochs",
        subject="Accuracy and calibration",
        metrics=_METRICS,
        rows=(Row("Flipout, learnt prior", "digits/mean_field_vi.py"),
              Row("VARDO", "digits/vardo.py"),
              Row("variational dropout", "digits/variational_dropout.py"),
              Row("concrete dropout", "digits/concrete_dropout.py"),
              Row("Gaussian dropout", "digits/gaussian_dropout.py"),
              Row("channel dropout", "digits/channel_dropout.py")),
        note="Our own baseline; compare it with [digits](digits.md). In the first "
             f"three rows the weight of the KL is 1/20. {_AUROC}",
        num_seeds=2))
