"""Detection of other sets by posteriors of MNIST.

    score of 2,000 test images against that of as many outside images

Scores are the variation ratio of the paper, one minus the largest mean
probability, the entropy, and mutual information (BALD). The published table
multiplies all outside images by 5, far out of the range of pixels; a scale of 1
leaves them as they are. See `outside_sets`.

Reference: Wang et al., Adversarial Distillation of Bayesian Neural Network
Posteriors, ICML 2018, and its released code.
"""

from bdlzoo import data
from bdlzoo.evaluation.detection import out_of_distribution
from bdlzoo.evaluation.outside_sets import outside_sets
from tools.reproduce.mnist_posteriors import LABELS, trained
from tools.reproduce.table import Row, Table

SCORES = {"vr": "max_probability", "entropy": "entropy",
          "bald": "mutual_information"}
METRICS = {"auroc": "auroc", "aupr+": "aupr_out", "aupr-": "aupr_in"}
_SETS = {"notmnist": "notMNIST", "cifar10": "grey CIFAR-10", "kmnist": "KMNIST",
         "gaussian": "Gaussian", "uniform": "uniform"}
_METHODS = ("sgd", "mc_dropout", "sgld", "apd")
# Published at a scale of 5, of fcNN2: AUROC in per cent, by variation ratio and by
# BALD, of each method.
_PUBLISHED = {
    "notmnist": ((55.4, None), (88.0, 87.0), (98.1, 99.7), (97.8, 99.6)),
    "cifar10": ((59.0, None), (90.1, 89.3), (97.4, 99.4), (96.9, 99.1)),
    "gaussian": ((64.3, None), (91.3, 90.9), (99.6, 100.0), (99.6, 100.0)),
    "uniform": ((81.2, None), (93.6, 97.3), (99.8, 100.0), (99.8, 100.0))}


def _published(outside, method, scale):
    if scale != 5 or outside not in _PUBLISHED:
        return {}
    values = _PUBLISHED[outside][_METHODS.index(method)]
    return {f"{score}_auroc": value / 100 for score, value
            in zip(("vr", "bald"), values) if value is not None}


TABLE = Table(
    name="mnist_posteriors_outside",
    title="Detection of other sets by posteriors of a perceptron on MNIST, fcNN1",
    subject="Errors and outside sets",
    metrics=tuple(f"{score}_{metric}" for score in SCORES for metric in METRICS),
    rows=tuple(
        Row(f"{name}, times {scale:g}, {LABELS[method]}", "mnist_posteriors_outside",
            _published(outside, method, scale),
            dict(method=method, outside=outside, scale=scale))
        for scale in (1.0, 5.0) for outside, name in _SETS.items()
        for method in _METHODS),
    note="Published: the APD slides, of the larger fcNN2, with MNIST in [-1, 1] and "
         "all outside images times 5; here images are in [0, 1]. 2,000 images of each "
         "set. One network has no mutual information (BALD).",
    headline=tuple((f"notMNIST, times 5, {LABELS[method]}", "bald_auroc")
                   for method in ("sgld", "apd")))


def run(seed=0, method="sgld", outside="notmnist", scale=1.0, count=2000,
        name="mnist", **options):
    """Trains a model, once a seed, and detects one outside set.

    Args:
        seed: Integer.
        method: See `mnist_posteriors`.
        outside: Name of the set; see `outside_sets`.
        scale: Float, factor of the outside inputs.
        count: Integer, rows of each set.
        name: Name of the set of images to train on.
        **options: See `mnist_posteriors.trained`.

    Returns:
        Dict of floats: by score and metric, such as `bald_auroc`. One network
        has no mutual information.
    """
    test = data.load(name, "test", seed=seed, validation=0)
    sets = outside_sets([outside], test.x[:count], scale=scale, seed=seed)
    model = trained(seed, method, name=name, **options)
    draws = model.sample_outputs(test.x[:1])
    scores = {key: score for key, score in SCORES.items()
              if key != "bald" or not _all_same(draws)}
    _, _, table = out_of_distribution(model, test.x[:count], sets,
                                      list(scores.values()))
    return {f"{key}_{metric}": table[outside][score][column]
            for key, score in scores.items() for metric, column in METRICS.items()}


def _all_same(draws):
    """Whether all draws are equal, so that they have no mutual information."""
    return bool((draws == draws[:1]).numpy().all())
