"""A network of MNIST, adapted, meets noise, other letters and attacks.

    map          the network itself, by its entropy
    plain        `BayesAdapter` on it, by the mutual information of the draws
    regularised  the same, taught that noise and images under attack are uncertain

The network is that of `fashion_calibration`. Sets to detect are uniform noise,
KMNIST, and test images under attack: FGSM, PGD, and PGD that also keeps the draws
together, an attacker who knows how he is detected. Attacks are white-box, on the
average over the draws of the row's own model, each image whether it fools or not.
They raise the loss of the predicted class, as labels would leak.

Reference: Deng et al., BayesAdapter: Being Bayesian, Inexpensively and Reliably,
via Bayesian Fine-tuning, ACML 2022.
"""

import functools

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.attacks import FGSM, PGD
from bdlzoo.methods import BayesAdapter
from bdlzoo.tasks import fashion_calibration
from bdlzoo.tasks.detection import detection
from bdlzoo.tasks.outside_sets import outside_sets

METHODS = ("map", "plain", "regularised")
RADIUS = 0.15
_UNCERTAIN = ({"type": "UniformNoise"}, {"type": "FGSM", "epsilon": RADIUS})


def run(seed=0, method="regularised", name="mnist", outside="kmnist", count=10_000,
        num_attacked=1000, num_samples=20, num_steps=20, evasion=10.0, **options):
    """Detects all sets by one method.

    Args:
        seed: Integer.
        method: One of `METHODS`.
        name: Name of the set of images to train on.
        outside: Name of another set of images.
        count: Integer, test images, and of each other set.
        num_attacked: Integer, test images to attack.
        num_samples: Integer, draws to detect by, and to attack by.
        num_steps: Integer, of PGD.
        evasion: Float, weight of the mutual information for an attacker who minds.
        **options: See `trained` and `adapted`.

    Returns:
        Dict of floats: `accuracy`, and AUROC as `uniform`, `outside`, `fgsm`, `pgd`,
        `evasive`; of the attacked images, the share that keeps its class, as
        `kept_fgsm` and so on.
    """
    if method not in METHODS:
        raise ValueError(f"Expected one of {METHODS}. Received: method={method!r}")
    test = data.load(name, "test", seed=seed)
    x, y = test.x[:count], test.y[:count]
    sizes = {key: options.pop(key) for key in ("epochs", "kernel_size", "hidden")
             if key in options}
    if method == "map":
        model, score = trained(seed, name, **sizes), "predictive_entropy"
        draws = 1
    else:
        model = adapted(seed, name, sizes=tuple(sizes.items()), uncertain=(
            _UNCERTAIN if method == "regularised" else ()), **options)
        score, draws = "mutual_information", num_samples

    def scored(rows):
        prediction = model.predict_uncertainty(rows, num_samples=draws, seed=seed)
        return np.asarray(getattr(prediction, score)), prediction.label

    known, label = scored(x)
    found = {"accuracy": np.mean(label == y)}
    for key, rows in outside_sets(["uniform", outside], x, seed=seed).items():
        key = "uniform" if key == "uniform" else "outside"
        found[key] = detection(known, scored(rows)[0])["auroc"]
    clean, goal = known[:num_attacked], label[:num_attacked]
    minding = evasion if draws > 1 else 0.0
    for key, attack in _attacks(draws, num_steps, minding).items():
        moved, other = scored(attack(model, x[:num_attacked], goal, seed=seed + 1))
        found[key] = detection(clean, moved)["auroc"]
        found[f"kept_{key}"] = np.mean(other == goal)
    return {key: float(value) for key, value in found.items()}


def _attacks(num_samples, num_steps, evasion):
    """An attacker of one network has no draws to mind: his second PGD is the first."""
    steps = dict(epsilon=RADIUS, step_size=2.5 * RADIUS / num_steps,
                 num_steps=num_steps, num_samples=num_samples)
    return {"fgsm": FGSM(RADIUS, num_samples=num_samples), "pgd": PGD(**steps),
            "evasive": PGD(**steps, evasion=evasion)}


@functools.lru_cache(maxsize=8)
def trained(seed, name="mnist", epochs=5, kernel_size=4, hidden=200):
    """The network before it is adapted, once a seed.

    Args:
        seed: Integer.
        name: Name of the set of images.
        epochs: Integer.
        kernel_size: See `fashion_calibration.trained`.
        hidden: See `fashion_calibration.trained`.

    Returns:
        `Deterministic` model.
    """
    return fashion_calibration.trained(data.load(name, "train", seed=seed), epochs,
                                       kernel_size, hidden, seed)


def adapted(seed, name="mnist", sizes=(), adapted_epochs=1, batch_size=128,
            learning_rate=1e-3, scale_learning_rate=5.0, log_scale=(-3.5, -3.0),
            **options):
    """The network, adapted.

    Args:
        seed: Integer.
        name: Name of the set of images.
        sizes: Options of `trained`, as pairs.
        adapted_epochs: Integer.
        batch_size: Integer.
        learning_rate: Float, of SGD on the means.
        scale_learning_rate: Float, of SGD on the log-scales.
        log_scale: Pair of floats, between which they start.
        **options: See `BayesAdapter`.

    Returns:
        `BayesAdapter`.
    """
    network = trained(seed, name, **dict(sizes)).network
    model = BayesAdapter(network, log_scale=log_scale, seed=seed, **options)
    model.compile(*(keras.optimizers.SGD(rate, momentum=0.9, nesterov=True)
                    for rate in (learning_rate, scale_learning_rate)))
    model.fit(*data.load(name, "train", seed=seed), batch_size=batch_size,
              epochs=adapted_epochs, verbose=0)
    return model
