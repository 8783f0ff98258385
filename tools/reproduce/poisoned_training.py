"""Two training images, moved a little, that turn the answer to a test image.

The features are those of a small CNN that has learnt the other eight classes, and are
frozen; a last layer is trained on 500 images of two classes. For each of 20 test images
that are answered rightly, two training images are moved by influence functions, inside
an L-infinity ball, and the last layer is trained again. With dropout before the last
layer the head is Bayesian, and the answer the mean over masks. The defence ranks all
rows by self-influence.

Reference: Koh and Liang, Understanding Black-box Predictions via Influence Functions,
ICML 2017.
"""

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.evaluation import influence, poison, refit, suspicion
from bdlzoo.methods import Deterministic, MCDropout
from tools.reproduce.capacity import sized
from tools.reproduce.table import Row, Table

PICKS = ("margin", "any")

TABLE = Table(
    name="poisoning",
    title="Test answers turned by two moved training images, Fashion-MNIST",
    subject="Attacks",
    metrics=("turned", "poison_steps", "rank_share", "found"),
    rows=tuple(
        Row(label, "poisoned_training", published, changes)
        for label, published, changes in (
            ("one head, radius 0.1", {}, dict(epsilon=0.1)),
            ("one head, radius 0.3", {}, dict(epsilon=0.3)),
            ("one head, radius 0.1, any images", dict(turned=0.77),
             dict(epsilon=0.1, pick="any")),
            ("dropout head, radius 0.1", {}, dict(bayesian=True, epsilon=0.1)),
            ("dropout head, radius 0.3", {}, dict(bayesian=True, epsilon=0.3)))),
    note="Pullover against coat, 500 training images, a last layer on features of the "
         "other classes; 20 test images, those with the smallest margins of 500 or, "
         "in the line of any images, drawn at random. Published: Koh and Liang "
         "(2017), dogs and fish, any test image, quoted from memory. The rank is that "
         "of the moved images by self-influence, as a share of all rows; found is the "
         "share of them in the first tenth.",
    num_seeds=3,
    headline=(("one head, radius 0.1", "turned"),
              ("dropout head, radius 0.1", "turned")),
    incomparable="the published value is for other images and features")


def run(seed=0, bayesian=False, epsilon=0.3, pick="margin", name="fashion_mnist",
        classes=(2, 4), num_train=500, num_test=20, side=None, count=2, max_steps=16,
        num_others=12_000, epochs=6, hidden=64, num_samples=4, prior_scale=1.0):
    """Poisons the training of several test images, one after the other.

    Args:
        seed: Integer.
        bayesian: Bool, whether dropout is before the last layer, at prediction too.
        epsilon: Float, radius of the ball.
        pick: `"margin"` attacks test images with small margins, `"any"` random ones.
        name: Name of a set of images.
        classes: Pair of integers, the classes.
        num_train: Integer, training images.
        num_test: Integer, test images that are attacked.
        side: Integer, pixels to which images are shrunk; `None` for none.
        count: Integer, training images that are moved.
        max_steps: Integer, steps of an attack.
        num_others: Integer, images of all classes, of which those of the other classes
            train the features.
        epochs: Integer, of the features.
        hidden: Integer, features.
        num_samples: Integer, dropout masks.
        prior_scale: Float, scale of the prior of the last layer.

    Returns:
        Dict of floats: `turned`, `poison_steps`, `rank_share`, `found` and `accuracy`.
    """
    if pick not in PICKS:
        raise ValueError(f"Expected one of {PICKS}. Received: pick={pick!r}")
    train, test = (_of_classes(name, split, classes, seed, side)
                   for split in ("train", "test"))
    train = train[0][:num_train], train[1][:num_train]
    features = _features(name, classes, seed, side, num_others, epochs, hidden)
    kind = MCDropout if bayesian else Deterministic
    model = kind(keras.Sequential([
        *features, *[keras.layers.Dropout(0.3)] * bayesian, keras.layers.Dense(2)]),
        prior_scale=prior_scale, num_data=num_train, seed=seed)
    model.compile("adam")
    refit(model, train, num_samples=num_samples)
    x, y = test[0][:500], test[1][:500]
    prediction = model.predict_uncertainty(x, num_samples, seed=0)
    right = np.flatnonzero(prediction.label == y)
    if pick == "margin":
        right = right[np.argsort(prediction.confidence[right], kind="stable")]
    chosen = right[:num_test]  # The order of the rows is that of the seed.
    found = influence(model, train, (x[chosen], y[chosen]), num_samples=num_samples)
    attacks = [poison(found, train, (x[chosen], y[chosen]), place, count, epsilon,
                      step_size=epsilon / 6, max_steps=max_steps)
               for place in range(len(chosen))]
    ranks = np.concatenate([suspicion(found, train, attack) for attack in attacks])
    return {"turned": float(np.mean([attack.turned for attack in attacks])),
            "poison_steps": float(np.mean([attack.steps for attack in attacks])),
            "rank_share": float(ranks.mean() / len(train[0])),
            "found": float(np.mean(ranks < len(train[0]) / 10)),
            "accuracy": float(np.mean(prediction.label == y))}


def _of_classes(name, split, classes, seed, side):
    x, y = data.load(name, split, seed=seed, validation=0)
    rows = np.isin(y, classes)
    return sized(x[rows], side), (y[rows] == classes[1]).astype("int32")


def _features(name, classes, seed, side, num_others, epochs, hidden):
    """Frozen layers that have learnt the classes of a set but for some."""
    x, y = data.load(name, "train", seed=seed, validation=0)
    x, y = x[:num_others], y[:num_others]
    others = ~np.isin(y, classes)
    x, y = sized(x[others], side), y[others]
    keras.utils.set_random_seed(seed)
    layers = [keras.Input(x.shape[1:]),
              keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
              keras.layers.Conv2D(32, 3, strides=2, activation="relu"),
              keras.layers.Flatten(), keras.layers.Dense(hidden, activation="relu")]
    network = keras.Sequential([*layers, keras.layers.Dense(int(y.max()) + 1)])
    network.compile(keras.optimizers.Adam(2e-3),
                    keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    network.fit(x, y, batch_size=100, epochs=epochs, verbose=0)
    for layer in layers[1:]:
        layer.trainable = False
    return layers
