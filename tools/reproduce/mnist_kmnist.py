"""Detection of KMNIST by LeNet of MNIST: softmax, MC dropout and ODIN.

    mcp                 maximum probability, one pass with scaled weights
    mc_dropout          maximum probability of the mean over masks
    entropy             entropy of that mean
    mutual_information  disagreement of the masks
    odin                one pass, step chosen on another set than the one reported

One network for all of them: dropout of rate 0.5 before its last layer. The step
of ODIN is chosen on validation rows of MNIST against `tuned_on`, so that it depends
neither on the outside set nor on a test row.

Reference: Clanuwat et al., Deep Learning for Classical Japanese Literature, 2018
(KMNIST); Gal and Ghahramani, Dropout as a Bayesian Approximation, ICML 2016;
Liang, Li and Srikant, Enhancing the Reliability of Out-of-distribution Image
Detection in Neural Networks, ICLR 2018.
"""

import functools

from bdlzoo import data
from bdlzoo.evaluation.detection import out_of_distribution
from bdlzoo.evaluation.odin import choose_epsilon
from bdlzoo.evaluation.outside_sets import outside_sets
from bdlzoo.methods import Deterministic
from tools.reproduce.mc_dropout_figures import train_digits
from tools.reproduce.table import Row, Table

_SCORES = {"mc_dropout": "max_probability", "entropy": "entropy",
           "mutual_information": "mutual_information"}
METHODS = ("mcp", *_SCORES, "odin")

TABLE = Table(
    name="kmnist",
    title="MNIST against KMNIST, LeNet 20-50-500, 5 epochs",
    subject="Errors and outside sets",
    metrics=("auroc", "aupr_in", "aupr_out", "fpr95", "epsilon"),
    rows=tuple(Row(label, "mnist_kmnist", changes=dict(method=method))
               for label, method in (
                   ("maximum probability", "mcp"),
                   ("MC dropout, maximum probability", "mc_dropout"),
                   ("MC dropout, entropy", "entropy"),
                   ("MC dropout, mutual information", "mutual_information"),
                   ("ODIN", "odin"))),
    note="Our own table; the slides compare softmax, MC dropout and ODIN on these sets "
         "without figures. The epsilon of ODIN was chosen on Fashion-MNIST.",
    headline=(("maximum probability", "auroc"),
              ("MC dropout, mutual information", "auroc")))


def run(seed=0, method="mcp", outside="kmnist", tuned_on="fashion_mnist",
        name="mnist", epochs=5, num_samples=100, num_tuned=1000):
    """Trains the network, once a seed, and detects the set by one method.

    Args:
        seed: Integer.
        method: One of `METHODS`.
        outside: Name of the set to detect; see `outside_sets`.
        tuned_on: Name of the set on which the step of ODIN is chosen.
        name: Name of the set of images to train on.
        epochs: Integer.
        num_samples: Integer, draws of MC dropout.
        num_tuned: Integer, rows of either set to choose the step on.

    Returns:
        Dict of floats: see `detection`, and `epsilon`, 0 but for ODIN.
    """
    if method not in METHODS:
        raise ValueError(f"Expected one of {METHODS}. Received: method={method!r}")
    if tuned_on == outside:
        raise ValueError(
            "Expected the step to be chosen on another set than the one reported. "
            f"Received: tuned_on={tuned_on!r}, outside={outside!r}")
    test = data.load(name, "test", seed=seed)
    sets = outside_sets([outside], test.x, seed=seed)
    noisy, still = _trained(seed, name, epochs)
    if method in _SCORES:
        score = _SCORES[method]
        _, _, table = out_of_distribution(noisy, test.x, sets, [score],
                                          num_samples=num_samples)
        return {**table[outside][score], "epsilon": 0.0}
    if method == "mcp":
        _, _, table = out_of_distribution(still, test.x, sets, ["max_probability"])
        return {**table[outside]["max_probability"], "epsilon": 0.0}
    held = data.load(name, "validation", seed=seed).x[:num_tuned]
    strange = outside_sets([tuned_on], held, seed=seed)[tuned_on]
    epsilon = choose_epsilon(still, held, strange)
    _, _, table = out_of_distribution(still, test.x, sets, [],
                                      odin={"epsilon": epsilon})
    return {**table[outside]["odin"], "epsilon": epsilon}


@functools.lru_cache(maxsize=16)
def _trained(seed, name, epochs):
    """The model with dropout on, and the same network with it off."""
    train = data.load(name, "train", seed=seed)
    model = train_digits(train, epochs, seed)
    return model, Deterministic(model.network, seed=seed)
