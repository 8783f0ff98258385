"""LeNet with concrete dropout on MNIST."""

from tools.reproduce.table import Row, Table

TABLE = Table(
    name="concrete_mnist",
    title="Concrete dropout, LeNet on MNIST",
    subject="Accuracy and calibration",
    metrics=("accuracy", "nll", "ece", "brier"),
    rows=(Row("concrete dropout", "mnist/concrete_dropout.py",
              dict(accuracy=0.987)),),
    note="The published accuracy is that of the authors' notebook, another "
         "convolutional network, 20 epochs.",
    num_seeds=1)
