"""Classes from few labels by a mixture VAE: direct optimisation and Gumbel-softmax.

    networks     classifier 784-400-200-100-10 with dropout of rate 0.2, encoder
                 784-400-200 to ten Gaussian codes of 30 numbers, decoder 300-400-784
    images       rounded to black or white
    first steps  labelled images only, moved, turned, sheared and scaled
    then         batches of 200 images without and 50 with a label; the weight of the
                 Gaussian KL falls to 1 half-way

The rows of a table differ in the set, the number of labels and the estimator of the
gradient through the class of an image without a label; the schedule is one for all.

Reference: Lorberbom, Gane, Jaakkola and Hazan, Direct Optimization through arg max for
Discrete Variational Auto-Encoder, NeurIPS 2019.
"""

import keras
import numpy as np
from scipy import ndimage

from bdlzoo import data
from bdlzoo.estimators import DirectOptimization, GumbelSoftmax
from bdlzoo.methods import SemiSupervisedVAE
from bdlzoo.networks import MLP
from bdlzoo.schedules import ExponentialFall
from tools.reproduce.table import Row, Table

ESTIMATORS = {"direct": "direct", "gumbel_softmax": "Gumbel-softmax"}
_SETS = {"mnist": "MNIST", "fashion_mnist": "Fashion-MNIST"}
_LABELS = (50, 100, 300, 600, 1200)
_PUBLISHED = {  # Accuracy and bound for each number of labels.
    ("mnist", "direct"): (
        (0.926, 90.24), (0.954, 90.93), (0.964, 90.39), (0.967, 90.78), (0.968, 90.45)),
    ("mnist", "gumbel_softmax"): (
        (0.847, 91.23), (0.884, 90.64), (0.917, 90.01), (0.923, 89.77), (0.927, 90.37)),
    ("fashion_mnist", "direct"): (
        (0.633, 129.66), (0.672, 130.822), (0.700, 130.653), (0.721, 130.81),
        (0.737, 130.921)),
    ("fashion_mnist", "gumbel_softmax"): (
        (0.612, 129.813), (0.642, 129.054), (0.693, 130.371), (0.716, 129.973),
        (0.732, 130.063)),
}
_RATES = 2e-3, 2.5e-3  # Of Adam: at the start, and where the first steps end.
_BATCH, _LABELLED = 200, 50  # Images of a step, without and with a label.
_COPIES = 20_000  # Moved copies of the labelled images.
_MOVES = {"fashion_mnist": dict(strength=0.05, shift=1.0)}  # Clothes hang upright.



def reading(results):
    """Sentences that say how far the two estimators are apart, seed by seed."""
    scores = {row["label"]: {score["seed"]: score["accuracy"]
                             for score in row["scores"]} for row in results["rows"]}
    found = []
    for name, title in _SETS.items():
        parts = []
        for place, count in enumerate(_LABELS):
            direct, relaxed = (scores.get(f"{title}, {count} labels, {words}", {})
                               for words in ESTIMATORS.values())
            gaps = [100.0 * (direct[seed] - relaxed[seed])
                    for seed in sorted(direct.keys() & relaxed.keys())]
            if not gaps:
                continue
            published = 100.0 * (_PUBLISHED[name, "direct"][place][0]
                                 - _PUBLISHED[name, "gumbel_softmax"][place][0])
            parts.append(f"{np.mean(gaps):+.1f} at {count} labels (above on "
                         f"{sum(gap > 0 for gap in gaps)} of {len(gaps)} seeds; "
                         f"published {published:+.1f})")
        if parts:
            found.append(f"{title}, accuracy of direct optimisation less that of "
                         f"Gumbel-softmax, in points: {', '.join(parts)}.")
    return found


TABLE = Table(
    name="semi_supervised_vae",
    title="Few labels: a mixture VAE on MNIST and Fashion-MNIST, 10 epochs",
    subject="Density models",
    metrics=("accuracy", "sampled", "bound"),
    rows=tuple(
        Row(f"{title}, {count} labels, {ESTIMATORS[estimator]}", "semi_supervised_vae",
            dict(zip(("accuracy", "bound"), published)),
            dict(name=name, labels=count, estimator=estimator))
        for name, title in _SETS.items() for place, count in enumerate(_LABELS)
        for estimator in ESTIMATORS
        for published in (_PUBLISHED[name, estimator][place],)),
    note="Published values from the slides, after 1,600 epochs; the release trains on "
         "the labelled images for 1,200 of them, then on the others alone. Here it is "
         "1,500 steps on labelled images, then 10 epochs with both in every batch. "
         "Pixels are rounded to black or white, 54,000 images train, and the seed "
         "chooses the labelled ones, as many of each class. Accuracy is that of the "
         "largest logit, beside that of a drawn class. The bound has the KL of the "
         "class, which is not trained, as in the release. Unlike there, classifier and "
         "encoder share no layers, and labelled images are moved, turned and sheared, "
         "for both estimators. All was chosen by a sketch, on validation rows of MNIST "
         "with 100 labels and a seed that is not in the table. Labelled images first, "
         "then both kinds in every batch: 73 to 77 % without moved images, 88.2 % with "
         "them after 4 epochs, 88.5 % if the weight of the Gaussian KL falls from 4 to "
         "1 as well; with a classifier of its own and batches of 200, 92.1 % after 6 "
         "epochs and 92.8 %, bound 92.9, after 10. An epsilon of 0.1 in place of 0.5 "
         "has 92.5 % after 4. Gumbel-softmax in the same schedule: 93.6 %, bound 92.6, "
         "after 10. This experiment itself had 93.7 % and a bound of 97.1 there, while "
         "the rate of Adam still fell from the first step on; now 93.5 % and 92.0, and "
         "Gumbel-softmax 93.6 % and 92.1: no difference. Two values of epsilon were "
         "tried and one fall of tau, which favours direct optimisation. The moves of "
         "Fashion-MNIST are smaller, by its labelled steps alone: 67.4 %, beside "
         "63.7 % without any and 62.6 % with those of MNIST.",
    headline=(("MNIST, 100 labels, direct", "accuracy"),
              ("MNIST, 100 labels, Gumbel-softmax", "accuracy"),
              ("MNIST, 100 labels, direct", "bound")),
    figures=("mixture_samples.png", "mixture_transfer.png"), reading=reading)


def run(seed=0, name="mnist", labels=100, estimator="direct", split="test",
        num_samples=4, **options):
    """Trains on few labels, and scores the classes and the density.

    Args:
        seed: Integer; chooses the labelled images too.
        name: Name of a set of images.
        labels: Integer, images with a label.
        estimator: One of `ESTIMATORS`.
        split: Rows that are scored, `"test"` or `"validation"`.
        num_samples: Integer, draws of the Gaussian codes in the bound.
        **options: Arguments of `trained`.

    Returns:
        Dict of floats: `accuracy` by the largest logit, `sampled`, that of a drawn
        class, `bound` in nats an image, and `kl` of the class, which it holds.
    """
    model = trained(seed, name, labels, estimator, **options)
    x, y = _rounded(name, split, seed)
    code = model.encode(x)
    return {"accuracy": np.mean(code.label == y),
            "sampled": np.mean(code.probs[np.arange(len(y)), y]),
            "bound": np.mean(model.bound(x, num_samples)),
            "kl": np.log(code.probs.shape[1]) - np.mean(code.entropy)}


def trained(seed=0, name="mnist", labels=100, estimator="direct", label_steps=1500,
            epochs=10, latent=30, kl_weight=4.0, epsilon=0.1, width=400, move=True,
            num_train=None, jit_compile=True, verbose=0):
    """The trained model.

    Args:
        seed: Integer.
        name: Name of a set of images.
        labels: Integer, images with a label.
        estimator: One of `ESTIMATORS`.
        label_steps: Integer, first steps, from labelled images alone.
        epochs: Integer, passes over the images without a label, after them.
        latent: Integer, numbers of a Gaussian code.
        kl_weight: Float, weight of its KL after the first steps; it falls to 1 over
            the first half of the epochs.
        epsilon: Float, of direct optimisation.
        width: Integer, units of the widest layers.
        move: Bool, whether labelled images are moved.
        num_train: Integer, images to train on; `None` for all.
        jit_compile: As in Keras.
        verbose: As in Keras.
    """
    if estimator not in ESTIMATORS:
        raise ValueError(f"Expected one of {', '.join(ESTIMATORS)}. Received: "
                         f"estimator={estimator!r}")
    x, y = (part[:num_train] for part in _rounded(name, "train", seed))
    few = data.keep_labels(y, labels, seed)
    known = few >= 0
    x_few, y_few = x[known], y[known]
    if move:
        x_few, y_few = moved(x_few, y_few, _COPIES, seed, **_MOVES.get(name, {}))
    per_epoch = len(x) // _BATCH
    half = label_steps + epochs * per_epoch // 2
    total = label_steps + epochs * per_epoch
    # A straight line that has the given weight where the first steps end.
    slope = (kl_weight - 1.0) / max(half - label_steps, 1)
    fall = keras.optimizers.schedules.PolynomialDecay(
        1.0 + slope * half, half, end_learning_rate=1.0)
    keras.utils.set_random_seed(seed)  # The weights at the start.
    shape, classes = x.shape[1:], int(y.max()) + 1
    small = width // 2
    model = SemiSupervisedVAE(
        MLP(shape, (width, small, small // 2), classes, "leaky_relu", dropout=0.2),
        MLP(shape, (width, small), 2 * classes * latent, "leaky_relu"),
        MLP((classes * latent,), (width,), int(np.prod(shape))),
        estimator=DirectOptimization(epsilon) if estimator == "direct" else (
            GumbelSoftmax(ExponentialFall(1.0, np.log(2.0) / total, floor=0.5))),
        label_steps=label_steps, kl_weight=fall, seed=seed)
    # It falls after the first steps only: the density needs it once the KL counts.
    rate = keras.optimizers.schedules.CosineDecay(
        _RATES[0], total - label_steps, warmup_target=_RATES[1],
        warmup_steps=label_steps)
    model.compile(keras.optimizers.Adam(rate), jit_compile=jit_compile)
    batches = data.epochs(x_few, y_few, batch_size=min(_LABELLED, len(x_few)),
                          seed=seed, drop_remainder=True)
    model.fit(batches, unlabelled=x, batch_size=_BATCH, steps_per_epoch=total,
              verbose=verbose)
    return model


def moved(x, y, count, seed, strength=0.2, shift=2.0, flipped=0.02):
    """Copies of black and white images: turned, sheared, scaled, shifted and noisy.

    Args:
        x: Images `[N, H, W, C]` of pixels that are 0 or 1.
        y: Labels `[N]`.
        count: Integer, about how many copies; at least one of each image.
        seed: Integer.
        strength: Float, standard deviation of angle and shear; half of it is that of
            the scale of either axis.
        shift: Float, largest shift in pixels.
        flipped: Float, share of pixels that change their colour.

    Returns:
        Images and labels.
    """
    rng = np.random.default_rng(seed)
    each = max(1, round(count / len(x)))
    x, y = np.repeat(x, each, axis=0), np.repeat(y, each)
    centre = (np.array(x.shape[1:3]) - 1) / 2.0
    found = np.empty_like(x)
    for place, image in enumerate(x):
        angle, shear, *scale = strength * rng.normal(size=4) * (1.0, 1.0, 0.5, 0.5)
        turn = np.array([[np.cos(angle), -np.sin(angle)],
                         [np.sin(angle), np.cos(angle)]])
        matrix = turn @ np.array([[1.0 + scale[0], shear], [0.0, 1.0 + scale[1]]])
        offset = centre - matrix @ centre + rng.uniform(-shift, shift, size=2)
        for channel in range(image.shape[-1]):
            found[place, ..., channel] = ndimage.affine_transform(
                image[..., channel], matrix, offset, order=1)
    found = np.round(np.clip(found, 0.0, 1.0))
    return np.abs(found - (rng.random(found.shape) < flipped)).astype("float32"), y


def _rounded(name, split, seed):
    x, y = data.load(name, split, seed=seed)
    return np.round(x), y
