"""Few labels on CIFAR-10: the trend of `consistency` on photographs.

    conv 32 5x5, pool 2, conv 64 5x5, pool 2, dropout, dense 128, dropout, dense 10

1,000 labels, the other rows without. Images are shifted and mirrored at random. One
seed a line: a trend, no comparison.
"""

from bdlzoo import data
from tools.reproduce import consistency
from tools.reproduce.table import Row, Table

TABLE = Table(
    name="consistency_cifar10",
    title="CIFAR-10 with 1,000 labels, a network of two convolutions",
    subject="Few labels",
    metrics=("error", "ece", "draws_ece"),
    rows=tuple(
        Row(label, "consistency_cifar10", published, dict(method=method))
        for label, method, published in (
            ("supervised", "supervised", {}),
            ("Pi-model", "pi", {"error": 0.1236}),
            ("temporal ensembling", "temporal", {"error": 0.1216}),
            ("mean teacher", "teacher", {"error": 0.1231}))),
    note="Published: errors with 4,000 labels, a network of 13 layers and 300 epochs, "
         "quoted from memory. One seed.",
    num_seeds=1,
    incomparable="the published errors are those of 4,000 labels and a large network",
    headline=(("supervised", "error"), ("mean teacher", "error")))


def run(seed=0, method="teacher", name="cifar10", num_steps=2500, num_labels=1000,
        **options):
    """Scores of one training.

    Args:
        seed: Integer.
        method: One of `consistency.METHODS`.
        name: Name of a set of images.
        num_steps: Integer, steps.
        num_labels: Integer, labels.
        **options: See `consistency.trained`.

    Returns:
        Dict of floats.
    """
    model = consistency.trained(
        seed, method, **{"name": name, "num_steps": num_steps,
                         "num_labels": num_labels, "num_unlabelled": None,
                         "filters": (32, 64), "shift": 2 / 32, "flip": True,
                         "input_noise": 0.05, **options})
    test = data.load(name, "test")
    scores = consistency.scores_of(model, test)
    draws = consistency.scores_of(consistency.by_draws(model), test)
    return {**scores, **{f"draws_{key}": value for key, value in draws.items()}}
