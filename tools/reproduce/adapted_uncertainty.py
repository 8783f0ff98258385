"""Does a network that was adapted to another domain know what it does not know?

The protocol of `domain_adaptation`, from USPS to MNIST, for LeNets with dropout before
the last layer. The trained network answers test images of the target twice: by one
pass, and by the mean over dropout masks. Beside the calibration error stands how well
uncertainties tell wrong answers from right ones, and images of clothes from digits.
Temperatures are those of held-out images of the source, for which labels are known.
"""

import numpy as np

from bdlzoo.methods import MCDropout
from bdlzoo.metrics import ExpectedCalibrationError, auroc
from tools.reproduce import domain_adaptation
from tools.reproduce.table import Row, Table

_LINES = (("source only", dict(method="source_only")),
          ("RevGrad", dict(method="rev_grad")),
          ("RevGrad + CAT", dict(method="cat", base="rev_grad")))


def reading(results):
    """What the figures say, in words.

    Args:
        results: Dictionary of `docs/results/adapted_uncertainty.json`.

    Returns:
        List of sentences.
    """
    means = {row["label"]: {name: np.mean([scores[name] for scores in row["scores"]])
                            for name in TABLE.metrics} for row in results["rows"]}
    plain = means.pop("source only", None)
    if plain is None:
        return []
    said = [f"Without adaptation the calibration error on the target is "
            f"{plain['ece']:.3f}, at an accuracy of {plain['accuracy']:.3f}, and the "
            f"AUROC of errors {plain['auroc_errors']:.3f}."]
    for label, scores in means.items():
        calm = scores["ece"] < plain["ece"]
        tells = scores["auroc_errors"] > plain["auroc_errors"]
        word = _WORDS[calm, tells]
        said.append(
            f"{label} {word}: its calibration error is {scores['ece']:.3f}, at an "
            f"accuracy of {scores['accuracy']:.3f}, and the AUROC of errors "
            f"{scores['auroc_errors']:.3f}. Dropout masks leave "
            f"{100 * scores['ece_masks'] / scores['ece']:.0f} % of the calibration "
            "error, the temperature of the source "
            f"{100 * scores['ece_calibrated'] / scores['ece']:.0f} %.")
    return said


_WORDS = {  # Whether it is better calibrated, and whether errors are easier to tell.
    (True, True): "knows more of what it does not know",
    (True, False): "is better calibrated, but the errors that remain look sure",
    (False, True): "is less calibrated, but its errors are easier to tell",
    (False, False): "knows less of what it does not know"}


TABLE = Table(
    name="adapted_uncertainty",
    title="Does an adapted network know what it does not know? USPS to MNIST",
    subject="Accuracy and calibration",
    metrics=("accuracy", "ece", "ece_masks", "ece_calibrated", "overconfidence",
             "auroc_errors", "auroc_errors_masks", "auroc_information",
             "auroc_outside", "auroc_outside_masks"),
    rows=tuple(Row(label, "adapted_uncertainty", {}, arguments)
               for label, arguments in _LINES),
    note="Test images of MNIST, without whose labels the network was adapted. Masks: "
         "the mean over 32 dropout masks; otherwise one pass. AUROC of errors: by "
         "entropy, and by the mutual information of the masks. Outside images are "
         "those of Fashion-MNIST, told from digits by entropy.",
    headline=(("source only", "ece"), ("RevGrad + CAT", "ece")),
    reading=reading)


def run(seed=0, method="cat", base=None, num_steps=1200, dropout=0.5, num_samples=32,
        counts=None, num_held_out=1000, num_outside=2000):
    """Adapts one network and looks at its uncertainty on the target.

    Args:
        seed: Integer; draws the images too.
        method: Name of a method of domain adaptation.
        base: Name of the method that CAT is added to; `None` for none.
        num_steps: Integer, steps of the training.
        dropout: Float, rate before the last layer.
        num_samples: Integer, dropout masks.
        counts: Dictionary of the number of images by name; `None` is the published
            one.
        num_held_out: Integer, images of the source for the temperature.
        num_outside: Integer, images of clothes, and of digits beside them.

    Returns:
        Dict of floats, one for each metric of the table.
    """
    known, unknown, held_out = domain_adaptation.domains("usps", "mnist", seed, counts,
                                                         num_held_out)
    model = domain_adaptation.compiled(seed, method, base, num_steps, dropout=dropout)
    domain_adaptation.fit(model, known, unknown, num_steps)
    test = domain_adaptation.images("mnist", seed, "test")
    clothes = domain_adaptation.images("fashion_mnist", seed, "test").x[:num_outside]
    one = model.predict_uncertainty(test.x)
    far = model.predict_uncertainty(clothes).predictive_entropy
    model.calibrate(*held_out)
    calibrated = model.predict_uncertainty(test.x)
    # The same trained network, with its dropout on.
    masks = MCDropout(model.network, num_samples=num_samples, seed=seed)
    several = masks.predict_uncertainty(test.x)
    far_masks = masks.predict_uncertainty(clothes).predictive_entropy
    wrong = one.label != test.y
    wrong_masks = several.label != test.y
    return {
        "accuracy": float(1.0 - wrong.mean()), "ece": _ece(one, test.y),
        "ece_masks": _ece(several, test.y), "ece_calibrated": _ece(calibrated, test.y),
        "overconfidence": float(one.confidence.mean() - 1.0 + wrong.mean()),
        "auroc_errors": _auroc(one.predictive_entropy, wrong),
        "auroc_errors_masks": _auroc(several.predictive_entropy, wrong_masks),
        "auroc_information": _auroc(several.mutual_information, wrong_masks),
        "auroc_outside": _apart(one.predictive_entropy[:num_outside], far),
        "auroc_outside_masks": _apart(several.predictive_entropy[:num_outside],
                                      far_masks)}


def _ece(prediction, labels):
    metric = ExpectedCalibrationError()
    metric.update_state(labels, prediction.probabilities)
    return float(metric.result())


def _auroc(scores, positives):
    return float(auroc(np.asarray(scores), positives))


def _apart(near, far):
    return _auroc(np.concatenate([near, far]), np.arange(len(near) + len(far)) >= len(
        near))
