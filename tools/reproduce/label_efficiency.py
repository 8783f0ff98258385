"""Accuracy on MNIST over labels: which buys more, asking or agreeing?

    supervised       random labels, no other rows
    mean teacher     random labels, agreement on rows without labels
    active           asks for the labels on which dropout masks disagree most (BALD)
    both             asks, and agrees

20 labels at the start, two of each class; then up to 50, 100, 300 and 1,000. A point is
trained from the start with the settings of `consistency`. A model that asks scores
5,000 rows by 16 dropout masks of its student and takes the best ones at once, so that
late rounds hold rows that are alike.

Reference: Gal, Islam and Ghahramani, Deep Bayesian Active Learning with Image Data,
ICML 2017; Tarvainen and Valpola, Mean Teachers are Better Role Models, NeurIPS 2017.
"""

import numpy as np

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.evaluation import acquisition as acquisitions
from tools.reproduce import consistency
from tools.reproduce.table import Row, Table

COUNTS = (20, 50, 100, 300, 1000)
# Method of `consistency`, and whether it asks.
STRATEGIES = {"supervised": ("supervised", False), "mean teacher": ("teacher", False),
              "active": ("supervised", True), "both": ("teacher", True)}

TABLE = Table(
    name="label_efficiency",
    title="Accuracy on MNIST over the number of labels, by asking and by agreeing",
    subject="Few labels",
    metrics=tuple(f"accuracy_{count}" for count in COUNTS),
    rows=tuple(Row(strategy, "label_efficiency", {}, dict(strategy=strategy))
               for strategy in STRATEGIES),
    note="Our own table, with one seed. Columns are numbers of labels.",
    num_seeds=1,
    headline=(("supervised", "accuracy_100"), ("mean teacher", "accuracy_100"),
              ("active", "accuracy_100"), ("both", "accuracy_100")),
    figures=("label_efficiency.png",))


def run(seed=0, strategy="both", name="mnist", counts=COUNTS, num_steps=2500,
        num_candidates=5000, **options):
    """Test accuracy at each number of labels.

    Args:
        seed: Integer.
        strategy: One of `STRATEGIES`.
        name: Name of a set of images.
        counts: Integers, numbers of labels, in rising order.
        num_steps: Integer, steps of a point.
        num_candidates: Integer, rows that a round of asking scores.
        **options: See `consistency.trained`.

    Returns:
        Dict of floats, by the number of labels.
    """
    method, asks = STRATEGIES[strategy]
    y, test = data.load(name, "train").y, data.load(name, "test")
    scores, model, labels = {}, None, None
    for count in counts:
        if asks and model is not None:
            labels = asked(model, name, labels, y, count, num_candidates, seed)
        else:
            labels = data.keep_labels(y, count, seed)
        model = consistency.trained(seed, method, name=name, labels=labels,
                                    num_steps=num_steps, **options)
        label = np.asarray(model.predict_uncertainty(test.x).label)
        scores[f"accuracy_{count}"] = np.mean(label == test.y)
    return scores


def asked(model, name, labels, y, count, num_candidates, seed):
    """Labels with those of further rows, on which masks of the student disagree.

    Args:
        model: Trained model of `consistency`.
        name: Name of a set of images.
        labels: Classes `[N]`, -1 where they are not known.
        y: All classes `[N]`; those of chosen rows are read.
        count: Integer, labels that are known afterwards.
        num_candidates: Integer, rows that are scored.
        seed: Integer.
    """
    known = int((labels >= 0).sum())
    pool = np.flatnonzero(labels < 0)
    keys = [noise.key(seed, noise.ACQUIRE, known, place) for place in range(2)]
    pool = pool[noise.permutation(len(pool), keys[0]).numpy()[:num_candidates]]
    rows = data.load(name, "train").x[pool]
    prediction = consistency.by_draws(model).predict_uncertainty(rows)
    best = acquisitions.choose("bald", prediction, count - known, keys[1])
    labels = labels.copy()
    labels[pool[best]] = y[pool[best]]
    return labels
