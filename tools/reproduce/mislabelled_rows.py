"""Finding wrong labels among training rows: who looks at the right ones first?

    found = share of the flipped labels among the first 20 % of a ranking

A tenth of the labels of MNIST's training rows are replaced by another class. A small
CNN with dropout is trained on them for a few epochs, its last layer to the minimum. The
rows are then ranked by their self-influence, by their loss, by the uncertainties of
their predictions, which do not read the label, and at random.

Reference: Koh and Liang, Understanding Black-box Predictions via Influence Functions,
ICML 2017.
"""

import functools

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.evaluation import influence, refit
from bdlzoo.methods import MCDropout
from tools.reproduce.capacity import sized
from tools.reproduce.table import Row, Table

RANKINGS = ("self_influence", "loss", "predictive_entropy", "mutual_information",
            "random")
FIRST = 0.2

TABLE = Table(
    name="mislabelled",
    title="Flipped labels found in the first fifth of the rows, MNIST",
    subject="Errors and outside sets",
    metrics=("found", "found_in_tenth"),
    rows=tuple(Row(ranking.replace("_", " "), "mislabelled_rows", {},
                   dict(ranking=ranking)) for ranking in RANKINGS),
    note="1,000 training rows of 14 x 14 pixels, a tenth with a wrong label, last "
         "layer of a small CNN with dropout. Goal: 80 % by self-influence, where "
         "chance finds 20 %.",
    num_seeds=3,
    headline=(("self influence", "found"), ("random", "found")))


def run(seed=0, ranking="self_influence", **options):
    """Ranks rows and counts the flipped ones at the front.

    Args:
        seed: Integer.
        ranking: One of `RANKINGS`.
        **options: See `rankings`.

    Returns:
        Dict of floats: `found` and `found_in_tenth`, shares of the flipped labels in
        the first fifth and tenth of the rows.
    """
    if ranking not in RANKINGS:
        raise ValueError(f"Expected one of {RANKINGS}. Received: ranking={ranking!r}")
    wrong, scores = rankings(seed, **options)
    order = np.argsort(-scores[ranking], kind="stable")
    return {name: float(wrong[order[:round(share * len(order))]].sum() / wrong.sum())
            for name, share in (("found", FIRST), ("found_in_tenth", FIRST / 2))}


def flipped(y, share, num_classes, seed):
    """Labels of which a share is another class, and booleans of those."""
    key = noise.key(seed, noise.ORDER, 7)
    wrong = np.zeros(len(y), bool)
    wrong[noise.permutation(len(y), key).numpy()[:round(share * len(y))]] = True
    steps = 1 + np.int64((num_classes - 1) * noise.uniform(
        [len(y)], noise.fold_in(key, 1)).numpy())
    return np.where(wrong, (y + steps) % num_classes, y).astype("int32"), wrong


@functools.cache  # The rows of the table differ in the ranking alone.
def rankings(seed=0, name="mnist", num_train=1000, side=14, share=0.1, epochs=10,
             hidden=32, num_samples=6):
    """Trains on flipped labels and scores the training rows.

    Args:
        seed: Integer.
        name: Name of a set of images.
        num_train: Integer, training rows.
        side: Integer, pixels to which images are shrunk; `None` for none.
        share: Float, share of the labels that are flipped.
        epochs: Integer, of the network.
        hidden: Integer, units before the last layer.
        num_samples: Integer, dropout masks.

    Returns:
        Booleans `[N]` of flipped rows, and a dict from a ranking to numbers `[N]`.
    """
    x, y = data.load(name, "train", seed=seed, validation=0)
    x, y = sized(x[:num_train], side), y[:num_train]
    labels, wrong = flipped(y, share, int(y.max()) + 1, seed)
    keras.utils.set_random_seed(seed)
    model = MCDropout(keras.Sequential([
        keras.Input(x.shape[1:]), keras.layers.Conv2D(8, 3, strides=2,
                                                      activation="relu"),
        keras.layers.Conv2D(8, 3, activation="relu"), keras.layers.Flatten(),
        keras.layers.Dense(hidden, activation="relu"), keras.layers.Dropout(0.5),
        keras.layers.Dense(int(y.max()) + 1)]), prior_scale=0.3, seed=seed)
    model.compile(keras.optimizers.Adam(2e-3))
    model.fit(x, labels, epochs=epochs, batch_size=50, verbose=0)
    refit(model, (x, labels), num_samples=num_samples)
    own = influence(model, (x, labels), num_samples=num_samples).self_influence()
    prediction = model.predict_uncertainty(x, num_samples, seed=0)
    return wrong, {
        "self_influence": own, "loss": -np.asarray(prediction.log_prob(labels)),
        "predictive_entropy": prediction.predictive_entropy,
        "mutual_information": prediction.mutual_information,
        "random": noise.uniform([len(x)], noise.key(seed, noise.ORDER, 8)).numpy()}
