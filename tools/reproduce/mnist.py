"""MNIST with LeNet: MC dropout beside the same network without draws."""

from tools.reproduce.table import Row, Table

TABLE = Table(
    name="mnist",
    title="MNIST, LeNet 20-50-500, 6 epochs",
    subject="Accuracy and calibration",
    metrics=("accuracy", "nll", "ece", "brier"),
    rows=(Row("MC dropout, 50 draws", "mnist/mc_dropout.py"),
          Row("deterministic", "mnist/deterministic.py")),
    note="Gal and Ghahramani (2015) show the test error of this network as curves "
         "without figures, so no value is quoted; our curve is below. 58,000 images "
         "train, 2,000 calibrate the temperature, 10,000 test.",
    figures=("dropout_error.png",))
