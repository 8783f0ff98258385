"""Breast cancer: MC dropout and one network with a Bernoulli likelihood."""

from tools.reproduce.table import Row, Table

TABLE = Table(
    name="breast_cancer",
    title="Breast cancer, Bernoulli likelihood, 50 hidden units",
    subject="Accuracy and calibration",
    metrics=("accuracy", "nll", "ece", "brier"),
    rows=(Row("MC dropout, 100 draws", "breast_cancer/mc_dropout.py"),
          Row("deterministic", "breast_cancer/deterministic.py")),
    note="Our own baseline, 113 test rows.")
