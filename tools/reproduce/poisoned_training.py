"""Two training images, moved a little, that turn the answer to a test image.

A small CNN is trained on 500 images of two classes; its last layer is brought to the
minimum, as for a trained head on features. For each of 20 test images that are
answered rightly, those with the smallest margin among the first 500, two training
images are moved by influence functions, inside an L-infinity ball, and the last layer
is trained again. With dropout before the last layer the head is Bayesian, and the
answer the mean over masks. The defence ranks all rows by self-influence.

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

TABLE = Table(
    name="poisoning",
    title="Test answers turned by two moved training images, Fashion-MNIST",
    subject="Attacks",
    metrics=("turned", "poison_steps", "rank_share", "found"),
    rows=tuple(
        Row(f"{label}, radius {epsilon:g}", "poisoned_training", published,
            dict(bayesian=bayesian, epsilon=epsilon))
        for label, bayesian, published in (
            ("one head", False, dict(turned=0.77)), ("dropout head", True, {}))
        for epsilon in (0.1, 0.3)),
    note="Pullover against coat, 500 training images of 14 x 14 pixels, 20 test "
         "images with small margins. Published: Koh and Liang (2017), dogs and fish,"
         " any test image, quoted from memory. The rank is that of the moved images "
         "by self-influence, as a share of all rows; found is the share of them in "
         "the first tenth.",
    num_seeds=1,
    headline=(("one head, radius 0.3", "turned"),
              ("dropout head, radius 0.3", "turned")),
    incomparable="the published value is for other images and features")


def run(seed=0, bayesian=False, epsilon=0.3, name="fashion_mnist", classes=(2, 4),
        num_train=500, num_test=20, side=14, count=2, max_steps=16, epochs=12,
        hidden=16, num_samples=4):
    """Poisons the training of several test images, one after the other.

    Args:
        seed: Integer.
        bayesian: Bool, whether dropout is before the last layer, at prediction too.
        epsilon: Float, radius of the ball.
        name: Name of a set of images.
        classes: Pair of integers, the classes.
        num_train: Integer, training images.
        num_test: Integer, test images that are attacked.
        side: Integer, pixels to which images are shrunk; `None` for none.
        count: Integer, training images that are moved.
        max_steps: Integer, steps of an attack.
        epochs: Integer, of the network.
        hidden: Integer, units before the last layer.
        num_samples: Integer, dropout masks.

    Returns:
        Dict of floats: `turned`, `poison_steps`, `rank_share`, `found` and `accuracy`.
    """
    train, test = (_of_classes(name, split, classes, seed, side)
                   for split in ("train", "test"))
    train = train[0][:num_train], train[1][:num_train]
    model = _trained(train, bayesian, seed, epochs, hidden)
    refit(model, train, num_samples=num_samples)
    x, y = test[0][:500], test[1][:500]
    prediction = model.predict_uncertainty(x, num_samples, seed=0)
    right = np.flatnonzero(prediction.label == y)
    chosen = right[np.argsort(prediction.confidence[right],
                              kind="stable")[:num_test]]
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


def _trained(train, bayesian, seed, epochs, hidden):
    keras.utils.set_random_seed(seed)
    network = keras.Sequential([
        keras.Input(train[0].shape[1:]),
        keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
        keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
        keras.layers.Flatten(), keras.layers.Dense(hidden, activation="relu"),
        *[keras.layers.Dropout(0.3)] * bayesian, keras.layers.Dense(2)])
    kind = MCDropout if bayesian else Deterministic
    model = kind(network, prior_scale=0.3, seed=seed)
    model.compile("adam")
    model.fit(*train, epochs=epochs, batch_size=50, verbose=0)
    return model
