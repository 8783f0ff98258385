"""Accuracy and entropy under attack: alpha-divergence dropout, and one network.

    untargeted   clip(x + eta * sign(-grad log mean_s p(y* | x, w_s)), 0, 1)
                 eta = 0, 0.02, ..., 0.5; y* is what the model predicts for x
    targeted     x <- clip(x + 0.01 * sign(grad log mean_s p(0 | x, w_s)), 0, 1)
                 100 steps; images of class 0 are left out

    alpha_0, alpha_0.5, alpha_1   dropout of rate 0.5 on inputs and hidden units,
                                  trained with that alpha
    scaled                        alpha_0.5, one pass with scaled weights
    plain                         the same perceptron without dropout

Every predictor is attacked through its own gradients, by 10 draws, and judged by 10
others, new ones at every point. A draw is one network for all images: standard errors
are over images, and the noise of the draws is seen between neighbouring points. The
prior has the variance 4.2, which equals a weight decay of 1e-6 in the authors' code.
Their network has 3 x 1000 units and is trained for 500 epochs of SGD.

The plain network is broken where its accuracy is under 0.2. What is compared is
the entropy of a predictor, divided by that of the plain network, at the first such
eta or step, and the least of these ratios over all of them.

Reference: Li and Gal, Dropout Inference in Bayesian Neural Networks with
Alpha-divergences, ICML 2017.
"""

import functools
import math

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.attacks import FGSM, IterativeFGSM
from bdlzoo.methods import AlphaDivergenceDropout, Deterministic
from bdlzoo.networks import MLP
from tools.reproduce.table import Row, Table

PREDICTORS = ("alpha_0", "alpha_0.5", "alpha_1", "scaled", "plain")
ETAS = tuple(step / 100 for step in range(0, 51, 2))
_TARGET = 0
_BROKEN = 0.2  # Accuracy below which the plain network counts as broken.
_PRIOR_SCALE = math.sqrt(4.2)

TABLE = Table(
    name="alpha_adversarial",
    title="MNIST under attack: alpha-divergence dropout and a plain network",
    subject="Attacks",
    metrics=("accuracy", "break_eta", "accuracy_at_break", "entropy_at_break",
             "entropy_ratio", "least_ratio", "break_step",
             "accuracy_at_break_targeted", "entropy_ratio_targeted",
             "least_ratio_targeted"),
    rows=tuple(Row(label, "alpha_adversarial", changes=dict(predictor=predictor))
               for label, predictor in (
                   ("alpha = 0", "alpha_0"), ("alpha = 0.5", "alpha_0.5"),
                   ("alpha = 1", "alpha_1"),
                   ("alpha = 0.5, scaled weights", "scaled"),
                   ("plain network", "plain"))),
    note="Our own table; the slides show curves. 784-256-256-10, dropout of rate 0.5 "
         "on inputs too, 10 draws in training, 10 epochs, 1,000 test images, 10 draws "
         "to attack by and 10 others to judge by. The plain network is broken where "
         "its accuracy falls under 0.2: by FGSM without labels at that radius, and by "
         "the targeted attack, towards class 0, after that many steps. At these "
         "points: accuracy and entropy (nats) of the model, and its entropy as a "
         "multiple of that of the plain network. The least ratio is the smallest at "
         "any radius up to 0.5, or any step up to 100, where the plain network is "
         "broken.",
    num_seeds=1,
    headline=(("alpha = 0.5", "entropy_ratio"),),
    figures=("attack_curves.png",))


def run(seed=0, predictor="alpha_0.5", name="mnist", epochs=10, hidden=(256, 256),
        num_train_samples=10, num_samples=10, num_steps=100, num_images=1000,
        verbose=0):
    """Trains a predictor and the plain network, each once a seed, and attacks both.

    Args:
        seed: Integer.
        predictor: One of `PREDICTORS`.
        name: Name of a set of images.
        epochs: Integer.
        hidden: Tuple of integers, sizes of the hidden layers.
        num_train_samples: Integer, draws in a training step.
        num_samples: Integer, draws of the attacker, and of the predictor.
        num_steps: Integer, steps of the targeted attack.
        num_images: Integer, first test rows to attack.
        verbose: As in Keras.

    Returns:
        Dict of floats. `accuracy`, without an attack; `break_eta`, where the plain
        network breaks, `accuracy_at_break`, `entropy_at_break`, `entropy_ratio` and
        `least_ratio`, and the same of `break_step` with `_targeted` behind them.
        The curves: `accuracy_eta_0.10`, `accuracy_step_50` and so on; see
        `untargeted` and `targeted`.
    """
    if predictor not in PREDICTORS:
        raise ValueError(
            f"Expected one of {PREDICTORS}. Received: predictor={predictor!r}")
    asked = (seed, name, epochs, tuple(hidden), num_train_samples, num_samples,
             num_steps, num_images, verbose)
    etas, steps = _curves(predictor, *asked)
    plain_etas, plain_steps = _curves("plain", *asked)
    at, verdict = at_break(plain_etas, etas)
    at_step, verdict_targeted = at_break(plain_steps, steps)
    return {"accuracy": etas["accuracy"][0],
            "break_eta": math.nan if at is None else ETAS[at], **verdict,
            "break_step": math.nan if at_step is None else at_step,
            **{f"{key}_targeted": value for key, value in verdict_targeted.items()},
            **{f"{key}_eta_{eta:.2f}": value for key, values in etas.items()
               for eta, value in zip(ETAS, values, strict=True)},
            **{f"{key}_step_{step}": value for key, values in steps.items()
               for step, value in enumerate(values)}}


@functools.lru_cache(maxsize=16)
def _curves(predictor, seed, name, epochs, hidden, num_train_samples, num_samples,
            num_steps, num_images, verbose):
    """Both attacks on one predictor, cached: every row needs the plain one."""
    model = _trained(predictor, seed, name, epochs, hidden, num_train_samples,
                     verbose)
    x, y = (part[:num_images] for part in data.load(
        name, "test", seed=seed, validation=0))
    shared = dict(num_samples=num_samples, seed=seed, verbose=verbose)
    return untargeted(model, x, y, **shared), targeted(
        model, x, y, num_steps, **shared)


@functools.lru_cache(maxsize=16)
def _trained(predictor, seed, name, epochs, hidden, num_train_samples, verbose):
    """The trained model of a predictor, cached: two predictors share a network."""
    if predictor == "scaled":
        noisy = _trained("alpha_0.5", seed, name, epochs, hidden, num_train_samples,
                         verbose)
        # Keras scales the kept units in training; without masks nothing is scaled.
        return Deterministic(noisy.network, seed=seed)
    train = data.load(name, "train", seed=seed, validation=0)
    shared = dict(prior_scale=_PRIOR_SCALE, seed=seed)
    keras.utils.set_random_seed(seed)  # The weights at the start.
    build = functools.partial(MLP, train.x.shape[1:], hidden, dropout_at="all")
    if predictor == "plain":
        model = Deterministic(build(dropout=0.0), **shared)
    else:
        model = AlphaDivergenceDropout(
            build(dropout=0.5), alpha=float(predictor.removeprefix("alpha_")),
            num_train_samples=num_train_samples, **shared)
    model.compile("adam")
    model.fit(*train, batch_size=128, epochs=epochs, verbose=verbose)
    return model


def untargeted(model, x, y, etas=ETAS, num_samples=10, seed=0, verbose=0):
    """Attacks a classifier with FGSM of growing radius, without its labels.

    Args:
        model: `PredictiveModel` of classes.
        x: Images `[B, ...]` in [0, 1].
        y: Integer classes `[B]`, to score by.
        etas: Floats `[R]`, the radii.
        num_samples: Integer, draws of the attacker, and as many of the model.
        seed: Integer; attacker and model never share a draw.
        verbose: As in Keras.

    Returns:
        Dict of lists `[R]`: `accuracy`, `entropy`, the mean over images of the
        predictive entropy in nats, and `entropy_error`, its standard error.
    """
    attack, bar = FGSM(0.0, num_samples=num_samples), _bar(etas, verbose)
    guess = model.predict_uncertainty(x, num_samples, _attacker(seed, 0)).label
    curves = []
    for place, eta in enumerate(etas):
        attack.epsilon = eta
        found = attack(model, x, guess, _attacker(seed, place))
        curves.append(_scores(model, found, y, num_samples, _defender(seed, place)))
        bar.add(1)
    return _joined(curves, ("accuracy", "entropy", "entropy_error"))


def targeted(model, x, y, num_steps=100, num_samples=10, seed=0, verbose=0):
    """Walks all images of other classes towards class 0, a score at each step.

    Args:
        model: See `untargeted`.
        x: See `untargeted`.
        y: See `untargeted`.
        num_steps: Integer, steps of 0.01.
        num_samples: See `untargeted`.
        seed: See `untargeted`.
        verbose: As in Keras.

    Returns:
        Dict of lists `[1 + num_steps]`, the first without an attack: as in
        `untargeted`, and `success`, the share predicted as class 0.
    """
    x, y = (part[y != _TARGET] for part in (x, y))
    target, steps = np.full_like(y, _TARGET), range(num_steps + 1)
    attack = IterativeFGSM(num_steps=1, num_samples=num_samples)
    bar, curves = _bar(steps, verbose), []
    for step in steps:
        if step:
            x = attack(model, x, target, _attacker(seed, step))
        curves.append(_scores(model, x, y, num_samples, _defender(seed, step)))
        bar.add(1)
    return _joined(curves, ("accuracy", "success", "entropy", "entropy_error"))


def at_break(plain, own):
    """Figures of a predictor where the plain network is broken.

    Args:
        plain: Curves of the plain network; see `untargeted`.
        own: Curves of the predictor, at the same places.

    Returns:
        The first place at which the plain accuracy is under 0.2, or `None`, and a
        dict of floats: `accuracy_at_break` and `entropy_at_break` of the predictor
        there, `entropy_ratio`, its entropy divided by that of the plain network, and
        `least_ratio`, the smallest at all such places; NaN where there is none.
    """
    places = np.flatnonzero(np.less(plain["accuracy"], _BROKEN))
    if not len(places):
        return None, dict.fromkeys(("accuracy_at_break", "entropy_at_break",
                                    "entropy_ratio", "least_ratio"), math.nan)
    first = int(places[0])
    ratios = np.divide(own["entropy"], plain["entropy"])
    return first, {"accuracy_at_break": own["accuracy"][first],
                   "entropy_at_break": own["entropy"][first],
                   "entropy_ratio": float(ratios[first]),
                   "least_ratio": float(ratios[places].min())}


def _attacker(seed, place):
    return seed, 2 * place


def _defender(seed, place):
    return seed, 2 * place + 1


def _bar(places, verbose):
    return keras.utils.Progbar(len(places), verbose=verbose, unit_name="attack")


def _scores(model, x, y, num_samples, seed):
    prediction = model.predict_uncertainty(x, num_samples, seed)
    entropy = np.asarray(prediction.predictive_entropy, "float64")
    return {"accuracy": np.mean(prediction.label == y),
            "success": np.mean(prediction.label == _TARGET),
            "entropy": entropy.mean(),
            "entropy_error": entropy.std(ddof=1) / math.sqrt(len(entropy))}


def _joined(curves, keys):
    return {key: [float(scores[key]) for scores in curves] for key in keys}
