"""Detection of other sets by the perceptron of MNIST.

    score of 10,000 test images against that of as many outside images

The network is that of `mnist_mlp`, the score by default the maximum softmax
probability. Outside sets are as `outside_sets` makes them, in [0, 1], times
`scale`; tables made at a scale of 5 are another experiment, not a better model.

The notebook takes notMNIST from a pickle as it is; the public recipe for that
pickle maps bytes to [-0.5, 0.5], which a `shift` of -0.5 gives. In [0, 1] more of the
letters are detected. Its probabilities are float32, and those of most test images are
exactly 1: these ties cost up to 0.004 of AUROC, compared with log odds.

Reference: Hendrycks and Gimpel, A Baseline for Detecting Misclassified and
Out-of-Distribution Examples, ICLR 2017, and its released notebook.
"""

from bdlzoo import data
from bdlzoo.evaluation.detection import out_of_distribution
from bdlzoo.evaluation.outside_sets import outside_sets
from tools.reproduce import mnist_mlp
from tools.reproduce.table import Row, Table

TABLE = Table(
    name="mnist_outside",
    title="MNIST against other sets, maximum probability of a perceptron",
    subject="Errors and outside sets",
    metrics=("auroc", "aupr_in", "aupr_out", "fpr95"),
    rows=(
        *(Row(label, "mnist_outside", dict(
            auroc=auroc, aupr_in=known, aupr_out=out), changes)
          for label, changes, (auroc, known, out) in (
              ("notMNIST in [-0.5, 0.5]", dict(outside="notmnist", shift=-0.5),
               (0.8287, 0.8447, 0.8467)),
              ("CIFAR-10 in grey", dict(outside="cifar10_grey"),
               (0.9370, 0.9407, 0.9323)),
              ("Gaussian noise", dict(outside="gaussian"),
               (0.8829, 0.8893, 0.8890)),
              ("uniform noise", dict(outside="uniform"),
               (0.9789, 0.9863, 0.9606)))),
        *(Row(f"{label}, scale {scale}", "mnist_outside",
              changes=dict(outside=name, scale=float(scale)))
          for label, name, scale in (
              ("notMNIST", "notmnist", 1), ("notMNIST", "notmnist", 5),
              ("CIFAR-10 in grey", "cifar10_grey", 5),
              ("Gaussian noise", "gaussian", 5),
              ("uniform noise", "uniform", 5)))),
    note="The network of [mnist_mlp](mnist_mlp.md). Published by the same notebook, "
         "one run, inputs at scale 1; its file of notMNIST holds pixels from -0.5 to "
         "0.5. Other tables of the field multiply all outside inputs by 5: another "
         "experiment.",
    num_seeds=5,
    headline=(("notMNIST in [-0.5, 0.5]", "auroc"), ("Gaussian noise", "auroc")))


def run(seed=0, outside="notmnist", scale=1.0, shift=0.0, score="max_probability",
        name="mnist", epochs=30, hidden=(256, 256, 256), verbose=0):
    """Trains the network, once a seed, and detects one outside set.

    Args:
        seed: Integer.
        outside: Name of the set; see `outside_sets`.
        scale: Float, factor of the outside inputs.
        shift: Float, added to them after that.
        score: Name of the score; see `uncertainty_scores`.
        name: Name of the set of images to train on.
        epochs: Integer.
        hidden: Tuple of integers, sizes of the hidden layers.
        verbose: See `keras.Model.fit`.

    Returns:
        Dict of floats; see `detection`.
    """
    test = data.load(name, "test", seed=seed, validation=0)
    sets = outside_sets([outside], test.x, scale=scale, seed=seed)
    model = mnist_mlp.trained(seed, name, epochs, tuple(hidden), verbose)
    sets = {outside: sets[outside] + shift}
    _, _, table = out_of_distribution(model, test.x, sets, [score])
    return table[outside][score]
