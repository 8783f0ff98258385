"""Training on random labels, with and without the KL of mean-field VI.

    loss = E_q[nll] + kl_weight KL(q || prior) / num_data

Every image has a label drawn uniformly, once, fixed by the seed; those of the
test set are random as well, so that no model can beat ln 10 = 2.303 there. With
the KL at full weight the posterior stays at the prior and the loss at ln 10;
without it the same network memorises the labels. The two differ in `kl_weight`
alone.

Reference: Zhang et al., Understanding Deep Learning Requires Rethinking
Generalization, ICLR 2017, for the labels.
"""

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.methods import MeanFieldVI
from bdlzoo.networks import MLP
from tools.reproduce.table import Row, Table

NUM_CLASSES = 10
_METRICS = ("train_loss", "train_accuracy", "test_loss", "test_accuracy", "kl")

TABLE = Table(
    name="random_labels",
    title="Random labels, 5,000 images, 2 x 400 units",
    subject="Bounds and complexity",
    metrics=_METRICS,
    rows=tuple(
        Row(f"{label}, {'with' if weight else 'no'} KL", "random_labels",
            dict(zip(_METRICS, figures)), dict(name=name, kl_weight=weight))
        for label, name, weight, figures in (
            ("MNIST", "mnist", 0.0, (0.04, 0.986, 13.77, 0.11, 54447932)),
            ("MNIST", "mnist", 1.0, (2.32, 0.112, 2.31, 0.12, 5558)),
            ("Fashion", "fashion_mnist", 0.0, (0.01, 0.997, 12.97, 0.09, 28423410)),
            ("Fashion", "fashion_mnist", 1.0, (2.31, 0.124, 2.31, 0.13, 261)))),
    note="Published values from the slides, whose network, prior and number of images "
         "are not given: the contrast is what can be compared, not the KL. Labels of "
         "the test set are random as well.",
    num_seeds=1,
    headline=(("MNIST, no KL", "train_accuracy"), ("MNIST, with KL", "train_accuracy")))


def run(seed=0, name="mnist", kl_weight=1.0, num_train=5000, epochs=60,
        hidden=(400, 400), prior_scale=0.02, init_scale=0.01, rate=1e-3,
        batch_size=100, num_samples=16, verbose=0):
    """Trains on random labels and measures how well they were learnt.

    Args:
        seed: Integer; draws the labels too.
        name: Name of a set of images; its own labels are not used.
        kl_weight: Float, 1 for the bound on the evidence, 0 for no prior.
        num_train: Integer, images to train on; fewer if there are fewer.
        epochs: Integer.
        hidden: Tuple of integers, sizes of the hidden layers.
        prior_scale: Float, standard deviation of the prior: below
            `1 / sqrt(400)`, so that draws from it have small outputs.
        init_scale: Float, standard deviation of the posterior at the start,
            close enough to the prior to get there without warming up.
        rate: Float, learning rate of Adam, which falls to zero.
        batch_size: Integer.
        num_samples: Integer, draws of the predictive.
        verbose: See `keras.Model.fit`.

    Returns:
        Dict of floats: `train_loss` and `test_loss` (negative log likelihood of
        the predictive, the mean over draws), `train_accuracy`,
        `test_accuracy`, `kl` in nats.
    """
    train, test = (data.load(name, split, seed=seed, validation=0)
                   for split in ("train", "test"))
    # Centred, since images that all point one way are hard to tell apart.
    images = train.x[:num_train]
    centre = images.mean(axis=0)
    train = data.Split(images - centre, labels(len(images), seed))
    test = data.Split(test.x - centre, labels(len(test.x), seed, 1))
    keras.utils.set_random_seed(seed)  # The weights at the start.
    network = MLP(train.x.shape[1:], hidden, NUM_CLASSES, layer={
        "type": "DenseLocalReparameterization", "prior_scale": prior_scale,
        "init_scale": init_scale})
    model = MeanFieldVI(network, kl_weight=kl_weight, num_samples=num_samples,
                        seed=seed)
    steps = -(-len(train.x) // batch_size) * epochs
    model.compile(keras.optimizers.Adam(
        keras.optimizers.schedules.CosineDecay(rate, steps)))
    model.fit(*train, batch_size=batch_size, epochs=epochs, verbose=verbose)
    scores = {f"{split}_{score}": value
              for split, rows in (("train", train), ("test", test))
              for score, value in _scores(model, *rows).items()}
    return {**scores, "kl": float(model.kl())}


def labels(count, seed, stream=0):
    """Labels `[count]`, uniform over the classes; streams are independent."""
    key = noise.key(seed, noise.ORDER, stream)
    return np.int32(NUM_CLASSES * noise.uniform([count], key))


def _scores(model, x, y):
    prediction = model.predict_uncertainty(x)
    return {"loss": -float(np.mean(prediction.log_prob(y))),
            "accuracy": float(np.mean(prediction.label == y))}
