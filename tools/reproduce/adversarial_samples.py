"""Draws of a learnt distribution of perturbations, beside PGD from many starts.

    learnt     the tanh-Gaussian that `AdversarialDistributionalTraining` climbs to,
               for each image, on a network that was trained as usual; its draws
    restarts   PGD from as many random starts in the same ball

Both know the network. Two figures count: the share of draws that the network
classifies wrongly, and how far the draws are apart. An attack that always finds the
same point covers little of the ball.
"""

import functools

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.attacks import PGD
from bdlzoo.evaluation.perturbation_diversity import diversity, restarts
from bdlzoo.methods import AdversarialDistributionalTraining, Deterministic
from bdlzoo.networks import WongKolterCNN
from tools.reproduce.table import Row, Table

KINDS = ("learnt", "restarts")

TABLE = Table(
    name="adversarial_samples",
    title="Perturbations of one image: a learnt distribution beside restarts of PGD",
    subject="Attacks",
    metrics=("adversarial", "least_adversarial", "distance", "radius"),
    rows=tuple(Row(label, "adversarial_samples", changes=dict(kind=kind))
               for kind, label in (("learnt", "learnt tanh-Gaussian"),
                                   ("restarts", "PGD, random starts"))),
    note="Our own table. A network of Wong and Kolter, trained as usual on 10,000 "
         "images of MNIST; 100 draws for each of 20 test images that it classifies "
         "correctly, in a ball of 0.3. Fooling draws: share of the draws that change "
         "the class, over all images and on the image with the fewest; distance: mean "
         "distance of two draws; largest move: that of a pixel, in units of 0.3. The "
         "picture shows one image.",
    figures=("adversarial_samples.png",))


def run(seed=0, kind="learnt", name="mnist", num_train=10_000, epochs=2, epsilon=0.3,
        num_images=20, count=100, verbose=0, **options):
    """Attacks test images that a network classifies correctly; it is trained once.

    Args:
        seed: Integer.
        kind: One of `KINDS`.
        name: Name of a set of images.
        num_train: Integer, images to train on.
        epochs: Integer.
        epsilon: Float, radius of the ball.
        num_images: Integer, first test images that the network classifies correctly.
        count: Integer, draws of each.
        verbose: As in Keras.
        **options: See `learnt`, for draws of that kind.

    Returns:
        Dict of floats, means over images: `adversarial`, the share of draws that the
        network classifies wrongly, `least_adversarial`, the smallest share of an
        image, `distance`, the mean distance of two draws, and `radius`, the largest
        change of a pixel, in units of `epsilon`.
    """
    if kind not in KINDS:
        raise ValueError(f"Expected one of {KINDS}. Received: kind={kind!r}")
    network = trained(seed, name, num_train, epochs, verbose)
    x, y = right_images(network, name, seed, num_images)
    draw = learnt if kind == "learnt" else restarted
    draws = draw(network, x, y, epsilon, count, seed, **options)  # [S, B, ...]
    wrong = errors(network, draws, y)
    return {"adversarial": wrong.mean(),
            "least_adversarial": wrong.mean(axis=0).min(),
            "distance": diversity(draws).mean(),
            "radius": np.abs(draws - x).max() / epsilon}


@functools.lru_cache(maxsize=8)
def trained(seed=0, name="mnist", num_train=10_000, epochs=2, verbose=0):
    """A network trained as usual, cached: both kinds attack it."""
    x, y = (part[:num_train] for part in data.load(
        name, "train", seed=seed, validation=0))
    keras.utils.set_random_seed(seed)  # The weights at the start.
    model = Deterministic(WongKolterCNN(x.shape[1:]), seed=seed)
    model.compile(keras.optimizers.Adam(3e-3))
    model.fit(x, y, batch_size=128, epochs=epochs, verbose=verbose)
    return model.network


def right_images(network, name, seed, count):
    """The first test images, and classes, that a network classifies correctly."""
    x, y = data.load(name, "test", seed=seed, validation=0)
    x, y = x[:4 * count], y[:4 * count]
    right = np.flatnonzero(network.predict(x, verbose=0).argmax(-1) == y)[:count]
    return x[right], y[right]


def learnt(network, x, y, epsilon, count, seed=0, num_steps=9, step_size=0.12,
           num_train_samples=10, entropy_weight=1e-3):
    """Draws of the learnt distribution of each image, `[S, B, ...]`.

    Args:
        network: Keras classifier with logits.
        x: Images `[B, ...]` in [0, 1].
        y: Classes `[B]`.
        epsilon: Float, radius of the ball.
        count: Integer, S.
        seed: Integer.
        num_steps: See `AdversarialDistributionalTraining`, as all that follow.
        step_size: As above.
        num_train_samples: As above.
        entropy_weight: As above.
    """
    model = AdversarialDistributionalTraining(
        network, epsilon=epsilon, num_steps=num_steps, step_size=step_size,
        num_train_samples=num_train_samples, entropy_weight=entropy_weight,
        accumulate=False, seed=seed)
    return model.adversarial_distribution(x, y).inputs(count, seed).numpy()


def restarted(network, x, y, epsilon, count, seed=0, num_steps=20):
    """What PGD finds from random starts, `[S, B, ...]`; see `learnt`."""
    attack = PGD(epsilon, epsilon / 10, num_steps)
    return x + restarts(attack, network, x, y, count, seed)


def errors(network, draws, y):
    """Whether a network is wrong on draws `[S, B, ...]` of images, `[S, B]`."""
    flat = draws.reshape(-1, *draws.shape[2:])
    labels = network.predict(flat, batch_size=500, verbose=0).argmax(-1)
    return labels.reshape(draws.shape[:2]) != y


def panels(seed=0, count=100, place=1, **options):
    """What the figure shows of one image.

    Args:
        seed: Integer.
        count: Integer, draws of each kind.
        place: Integer, which of the correctly classified test images.
        **options: See `trained`.

    Returns:
        Dict: `image`, `draws` by kind `[S, H, W, channels]`, `labels` that the
        network gives them `[S]`, and `distances`, a float by kind.
    """
    network = trained(seed, **options)
    x, y = (part[place:] for part in right_images(
        network, options.get("name", "mnist"), seed, place + 1))
    draws = {kind: draw(network, x, y, 0.3, count, seed)[:, 0]
             for kind, draw in (("learnt", learnt), ("restarts", restarted))}
    return {"image": x[0], "draws": draws,
            "labels": {kind: network.predict(found, verbose=0).argmax(-1)
                       for kind, found in draws.items()},
            "distances": {kind: float(diversity(found[:, None])[0])
                          for kind, found in draws.items()}}
