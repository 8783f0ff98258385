"""Gray-box attacks on posteriors of MNIST, and who notices them.

    source     a model; the adversary knows its first draw, one network, and no more
    attack     fgsm   clip(x + radius * sign(grad), 0, 1), the smallest radius of
                      0.001, 0.002, ..., 1 that succeeds, image by image
               pgd    40 steps of 0.01 in a ball of 0.15, from the image itself
    detector   a model, the source or another, with all of its draws; scores are
               entropy, mutual information (BALD), and the variance over draws,
               summed over classes; the source has the known draw among its own

The release has inputs in [-1, 1], a range of 2: its ball of 0.3 is 0.15 here, and
its steps, 0.01 of the range, are 0.01.

An attack succeeds where the one network, right before, is wrong after it. What did
not succeed is left out, and so is what was wrong before. As many clean test images
are the negatives, drawn from in between: the first half of MNIST's test images is
easier than the second. Released attacks are on images of the training file, held
out; ours are on test images, since the models were trained on that whole file.

Sources are `mc_dropout` (one mask for all images), `sgld` (one kept sample), `apd`
(one generated network), and `scaled`: the network of dropout without masks, which
is what the release attacks.

Reference: Wang et al., Adversarial Distillation of Bayesian Neural Network
Posteriors, ICML 2018, and its released code.
"""

import functools
import typing

import numpy as np

from bdlzoo import data
from bdlzoo.attacks import FGSM, PGD, FirstDraw
from bdlzoo.evaluation.detection import detection
from bdlzoo.evaluation.uncertainty_scores import judge, uncertainty_scores
from bdlzoo.methods import Deterministic
from tools.reproduce.mnist_posteriors import trained

DETECTORS = ("mc_dropout", "sgld", "apd")
SOURCES = (*DETECTORS, "scaled")
ATTACKS = ("fgsm", "pgd")
SCORES = {"entropy": "entropy", "bald": "mutual_information",
          "variance": "total_variance"}
RADII = tuple(step / 1000 for step in range(1, 1001))
_PGD = dict(epsilon=0.15, step_size=0.01, num_steps=40, random_start=False)


class Attacked(typing.NamedTuple):
    """Images that an attack succeeded on.

    Args:
        x: Attacked images `[B, ...]`.
        y: Their classes `[B]`.
        fooled: Share of the images on which it was tried.
    """

    x: np.ndarray
    y: np.ndarray
    fooled: float


def run(seed=0, source="sgld", detector="sgld", attack="pgd", count=2000,
        num_samples=200, name="mnist", **options):
    """Attacks a draw of one model and detects it by another; each is trained once.

    Args:
        seed: Integer.
        source: One of `SOURCES`.
        detector: One of `DETECTORS`.
        attack: One of `ATTACKS`.
        count: Integer, test images to attack, at most half of all.
        num_samples: Integer, draws of the detector.
        name: Name of the set of images.
        **options: See `mnist_posteriors.trained`.

    Returns:
        Dict of floats: `entropy_auroc`, `bald_auroc` and `variance_auroc`; `fooled`,
        the share of images that the one network had right and was fooled on; and
        `detector_accuracy`, of the detector on these.
    """
    for key, value, known in (("source", source, SOURCES), ("attack", attack, ATTACKS),
                              ("detector", detector, DETECTORS)):
        if value not in known:
            raise ValueError(f"Expected one of {known}. Received: {key}={value!r}")
    found = attacked(seed, source, attack, count, name=name, **options)
    if not len(found.x):
        raise ValueError("Expected an attack that succeeds on some images: raise "
                         f"`count`. Received: none, with count={count}")
    clean = _images(name, seed, count, 1)[0][:len(found.x)]
    model = trained(seed, detector, name=name, **options)
    scores, labels = [], None
    for x in (clean, found.x):
        prediction, _ = judge(model, x, num_samples, seed)
        scores.append(uncertainty_scores(prediction, names=list(SCORES.values())))
        labels = prediction.label
    return {**{f"{key}_auroc": detection(*(s[score] for s in scores))["auroc"]
               for key, score in SCORES.items()},
            "fooled": found.fooled,
            "detector_accuracy": float(np.mean(labels == found.y))}


@functools.lru_cache(maxsize=16)
def attacked(seed, source, attack, count, name="mnist", **options):
    """What an attack makes of every other test image, kept: detectors share it.

    Args:
        seed: See `run`.
        source: See `run`.
        attack: See `run`.
        count: See `run`.
        name: See `run`.
        **options: See `run`.

    Returns:
        `Attacked`.
    """
    if source == "scaled":
        # Dropout of Keras scales in training, so that without it weights are.
        model = Deterministic(
            trained(seed, "mc_dropout", name=name, **options).network, seed=seed)
    else:
        model = trained(seed, source, name=name, **options)
    x, y = _images(name, seed, count, 0)
    model.build_once(x)
    network = FirstDraw(model)
    right = network.labels(x) == y
    x, y = x[right], y[right]
    found = smallest_fgsm(network, x, y) if attack == "fgsm" else (
        PGD(**_PGD)(network, x, y).numpy())
    fooled = network.labels(found) != y
    return Attacked(found[fooled], y[fooled], float(np.mean(fooled)))


def smallest_fgsm(network, x, y, radii=RADII):
    """FGSM with the smallest radius that fools a network, image by image.

    Args:
        network: `FirstDraw`.
        x: Images `[B, ...]` in [0, 1].
        y: Classes `[B]`.
        radii: Floats in rising order.

    Returns:
        Array like `x`, with the last radius where none succeeds.
    """
    # The gradient does not depend on the radius: one step goes to the corner of
    # the box, and smaller ones are on the way to it.
    found, step = np.copy(x), FGSM(1.0)(network, x, y).numpy() - x
    left = np.arange(len(x))
    for radius in radii:
        if not len(left):
            break
        found[left] = x[left] + np.clip(step[left], -radius, radius)
        left = left[network.labels(found[left]) == y[left]]
    return found


def _images(name, seed, count, place):
    """Every other test image, from the first or the second."""
    x, y = data.load(name, "test", seed=seed, validation=0)
    if not 1 <= count <= len(x) // 2:
        raise ValueError(
            "Expected to attack at least one image, and no more than half of the "
            f"{len(x)} test images. Received: count={count}")
    return x[place:2 * count:2], y[place:2 * count:2]
