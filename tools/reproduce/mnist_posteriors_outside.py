"""Posteriors of MNIST meet other sets.

    score of 2,000 test images against that of as many outside images

Scores are the variation ratio of the paper, one minus the largest mean
probability, the entropy, and mutual information (BALD). The published table
multiplies all outside images by 5, which takes them far out of the range of
pixels; a scale of 1 leaves them as they are. See `outside_sets`.

Reference: Wang et al., Adversarial Distillation of Bayesian Neural Network
Posteriors, ICML 2018, and its released code.
"""

from bdlzoo import data
from bdlzoo.evaluation.detection import out_of_distribution
from bdlzoo.evaluation.outside_sets import outside_sets
from tools.reproduce.mnist_posteriors import trained

SCORES = {"vr": "max_probability", "entropy": "entropy",
          "bald": "mutual_information"}
MEASURES = {"auroc": "auroc", "aupr+": "aupr_out", "aupr-": "aupr_in"}


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
        Dict of floats: by score and measure, such as `bald_auroc`. One network
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
    return {f"{key}_{measure}": table[outside][score][column]
            for key, score in scores.items() for measure, column in MEASURES.items()}


def _all_same(draws):
    """Whether there is nothing that draws could disagree on."""
    return bool((draws == draws[:1]).numpy().all())
