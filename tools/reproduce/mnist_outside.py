"""The perceptron of MNIST meets other sets.

    score of 10,000 test images against that of as many outside images

The network is that of `mnist_mlp`, the score by default the maximum softmax
probability. Outside sets are as `outside_sets` makes them, in [0, 1], times
`scale`; tables made at a scale of 5 are another experiment, not a better model.

The notebook takes notMNIST from a pickle as it is; the public recipe for that
pickle maps bytes to [-0.5, 0.5], which a `shift` of -0.5 gives. In [0, 1] the
letters are told more often. Its probabilities are float32, where most test images
tie at exactly 1: that costs it up to 0.004 of AUROC beside log odds.

Reference: Hendrycks and Gimpel, A Baseline for Detecting Misclassified and
Out-of-Distribution Examples, ICLR 2017, and its released notebook.
"""

from bdlzoo import data
from bdlzoo.evaluation.detection import out_of_distribution
from bdlzoo.evaluation.outside_sets import outside_sets
from tools.reproduce import mnist_mlp


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
