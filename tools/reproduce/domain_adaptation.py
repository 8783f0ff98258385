"""MNIST to USPS and back: domain adaptation without labels of the target.

2,000 images of MNIST and 1,800 of USPS, drawn by the seed, in 28 x 28 pixels; LeNet
with BatchNorm; SGD with momentum (Adam for MCD), batches of 128 rows of each domain.
Published runs take 40,000 steps, ours a fraction, with schedules in proportion but for
the start of the clusters, which waits until the network knows the source.

Published accuracies are those on the images of the target that were trained on, at the
best step. Beside these stand the last step, and images of the target that no step saw.
"""

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.core import registry
from bdlzoo.families.target_scores import scores
from bdlzoo.networks import BatchNormLeNet
from bdlzoo.schedules import ExponentialRise, SigmoidRise
from tools.reproduce.table import Row, Table

COUNTS = {"mnist": 2000, "usps": 1800}
BATCH, LOOK = 128, 50  # Rows of a step; steps between two looks at the target.
_STEPS = 1500
_MCD = dict(num_steps=1000, batch_size=64)  # A step has five passes, not two.
_LINES = (  # Label, arguments, published accuracy MNIST -> USPS and USPS -> MNIST.
    ("source only", dict(method="source_only"), .752, .571),
    ("RevGrad", dict(method="rev_grad"), .771, .730),
    ("CAT", dict(method="cat"), .906, .809),
    ("RevGrad + CAT", dict(method="cat", base="rev_grad"), .937, .957),
    ("rRevGrad + CAT", dict(method="cat", base="robust_rev_grad"), .940, .960),
    ("MCD", dict(method="mcd", **_MCD), .942, .941),
    ("MCD + CAT", dict(method="cat", base="mcd", **_MCD), .963, .952))
_ADVERSARIES = {"rev_grad", "robust_rev_grad", "mstn", "vada"}
_TITLES = {"mnist": "MNIST", "usps": "USPS"}

TABLE = Table(
    name="domain_adaptation",
    title="MNIST and USPS, each without the labels of the other",
    subject="Accuracy and calibration",
    metrics=("best_accuracy", "target_accuracy", "best_test_accuracy",
             "test_accuracy", "test_ece", "test_ece_calibrated", "pseudo_accuracy"),
    rows=tuple(
        Row(f"{_TITLES[pair[0]]} to {_TITLES[pair[1]]}, {label}", "domain_adaptation",
            {"best_accuracy": published[place]},
            dict(source=pair[0], target=pair[1], **arguments))
        for place, pair in enumerate((("mnist", "usps"), ("usps", "mnist")))
        for label, arguments, *published in _LINES),
    note="Published values are the best step on the target images that were trained "
         f"on, after 40,000 steps of 128 rows; ours take {_STEPS:,} (MCD "
         f"{_MCD['num_steps']:,} of {_MCD['batch_size']} rows: on other images of the "
         "target it was best there, and fell later). The test images of the target "
         "are seen by no step and chose nothing. ECE is that of the test images of the "
         "target, as it is and after a temperature that was fitted to held-out images "
         "of the source, for which labels are known.",
    headline=(("USPS to MNIST, source only", "test_accuracy"),
              ("USPS to MNIST, CAT", "test_accuracy"),
              ("USPS to MNIST, RevGrad + CAT", "test_accuracy")))


def run(seed=0, source="mnist", target="usps", method="cat", base=None,
        num_steps=_STEPS, batch_size=BATCH, counts=None, num_held_out=1000, verbose=0):
    """Adapts one network and scores it on both domains.

    Args:
        seed: Integer; draws the images too.
        source: `"mnist"` or `"usps"`, whose labels are used.
        target: The other one, whose labels are used for scores only.
        method: Name of a method of domain adaptation.
        base: Name of the method that CAT is added to; `None` for none.
        num_steps: Integer, steps of the training.
        batch_size: Integer, rows of each domain in a step.
        counts: Dictionary of the number of images by name; `None` is the published
            one.
        num_held_out: Integer, images of the source for the temperature.
        verbose: See `keras.Model.fit`.

    Returns:
        Dict of floats, those of `train`.
    """
    known, unknown, held_out = domains(source, target, seed, counts, num_held_out)
    return train(known, unknown, images(target, seed, "test"), held_out, seed, method,
                 base, num_steps, verbose, batch_size=batch_size)


def domains(source, target, seed, counts=None, num_held_out=1000):
    """Rows of both domains, and others of the source for the temperature."""
    counts = counts or COUNTS
    known, unknown = (images(name, seed) for name in (source, target))
    held_out = data.Split(*(part[counts[source]:][:num_held_out] for part in known))
    return (*(data.Split(*(part[:counts[name]] for part in split))
              for name, split in ((source, known), (target, unknown))), held_out)


def images(name, seed, split="train"):
    """Images of 28 x 28 pixels and their classes, in an order of the seed."""
    x, y = data.load(name, split, seed=seed, validation=0)
    return data.Split(data.fit_images(x, (28, 28, 1)), y)


def train(known, unknown, test, held_out, seed, method, base, num_steps, verbose=0,
          outputs=10, batch_size=BATCH):
    """Trains one model, and looks at the target on the way.

    Args:
        known: `Split` of the source.
        unknown: `Split` of the target.
        test: `Split` of the target that is not trained on.
        held_out: `Split` of the source for the temperature.
        seed: Integer.
        method: Name of a method.
        base: Name of the base of CAT, or `None`.
        num_steps: Integer.
        verbose: See `keras.Model.fit`.
        outputs: Integer, number of classes.
        batch_size: Integer, rows of each domain in a step.

    Returns:
        Dict of floats: `target_accuracy`, `pseudo_share` and `pseudo_accuracy` of the
        target after the last step, `best_accuracy` at the best look, `test_accuracy`,
        `best_test_accuracy` and `test_ece` the same for test images,
        `test_ece_calibrated`, and `source_accuracy` of held-out images.
    """
    seen = []
    look = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(
        scores(model.predict(test.x[:2000], batch_size=500, verbose=0),
               test.y[:2000])["target_accuracy"]))
    model = compiled(seed, method, base, num_steps, outputs)
    history = fit(model, known, unknown, num_steps, verbose, [look], batch_size)
    last = scores(model.predict(test.x, batch_size=500, verbose=0), test.y)
    model.calibrate(*held_out)
    calibrated = scores(model.predict(test.x, batch_size=500, verbose=0), test.y)
    sure = scores(model.predict(held_out.x, batch_size=500, verbose=0), held_out.y)
    return {"target_accuracy": history["target_accuracy"][-1],
            "best_accuracy": max(history["target_accuracy"]),
            "pseudo_share": history["pseudo_share"][-1],
            "pseudo_accuracy": history["pseudo_accuracy"][-1],
            "test_accuracy": last["target_accuracy"],
            "best_test_accuracy": max(*seen, last["target_accuracy"]),
            "test_ece": last["target_ece"],
            "test_ece_calibrated": calibrated["target_ece"],
            "source_accuracy": sure["target_accuracy"],
            "looks": len(seen), "first_accuracy": history["target_accuracy"][0],
            "temperature": float(np.asarray(model.calibration.temperature))}


def compiled(seed, method, base, num_steps, outputs=10, dropout=0.0):
    """A new model with its optimiser.

    Args:
        seed: Integer.
        method: Name of a method.
        base: Name of the base of CAT, or `None`.
        num_steps: Integer, steps that the schedules are for.
        outputs: Integer, number of classes.
        dropout: Float, rate of dropout before the last layer.
    """
    keras.utils.set_random_seed(seed)  # The weights at the start.
    model = registry.build(
        {"type": method, **options(method, base, num_steps)}, seed=seed,
        network=BatchNormLeNet((28, 28, 1), outputs, dropout=dropout))
    model.compile(optimizer_of(method, base))
    return model


def fit(model, known, unknown, num_steps, verbose=0, callbacks=(), batch_size=BATCH):
    """Logs of the training, by name, one for each look at the target."""
    return model.fit(
        *known, target=tuple(unknown), batch_size=batch_size,
        epochs=max(1, num_steps // LOOK), steps_per_epoch=min(LOOK, num_steps),
        callbacks=list(callbacks), verbose=verbose).history


def options(method, base, num_steps):
    """Arguments of a method, with schedules for a number of steps."""
    reversal = SigmoidRise(num_steps)
    adversary = {"reversal": reversal} if {base, method} & _ADVERSARIES else {}
    if method == "mstn":
        adversary["semantic_weight"] = reversal
    heads = {} if "mcd" not in (base, method) else {"head_layers": 2}
    if method != "cat":
        return {**adversary, **heads}
    rise = ExponentialRise(num_steps // 5, max(1, 2 * num_steps // 5))
    return {"cluster_weight": rise, "base": None if base is None else {
        "type": base, **adversary, **heads}}


def optimizer_of(method, base):
    """The published optimiser of a method."""
    if "mcd" in (base, method):
        return keras.optimizers.Adam(2e-4, weight_decay=5e-4)
    return keras.optimizers.SGD(0.01, momentum=0.9)
