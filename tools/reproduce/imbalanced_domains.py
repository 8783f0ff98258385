"""Zeros and ones in two domains whose shares are the opposite of each other.

The source has 1,000 zeros and 100 ones, the target 100 zeros and 1,000 ones. A method
that makes the domains look alike as a whole turns most ones of the target into zeros.
Clusters of classes have no such error. The rest is that of `domain_adaptation`.
"""

from bdlzoo import data
from tools.reproduce import domain_adaptation
from tools.reproduce.table import Row, Table

MANY, FEW = 1000, 100
_LINES = (  # Label, arguments, published accuracy MNIST -> USPS and USPS -> MNIST.
    ("source only", dict(method="source_only"), None, None),
    ("RevGrad", dict(method="rev_grad"), .267, .179),
    ("MSTN", dict(method="mstn"), .303, .294),
    ("CAT", dict(method="cat"), 1.0, .999))
_TITLES = {"mnist": "MNIST", "usps": "USPS"}

TABLE = Table(
    name="imbalanced_domains",
    title="Zeros and ones of MNIST and USPS, 10 : 1 against 1 : 10",
    subject="Accuracy and calibration",
    metrics=("best_accuracy", "target_accuracy", "best_test_accuracy",
             "test_accuracy", "test_ece", "pseudo_accuracy"),
    rows=tuple(
        Row(f"{_TITLES[pair[0]]} to {_TITLES[pair[1]]}, {label}", "imbalanced_domains",
            {} if published[place] is None else {"best_accuracy": published[place]},
            dict(source=pair[0], target=pair[1], **arguments))
        for place, pair in enumerate((("mnist", "usps"), ("usps", "mnist")))
        for label, arguments, *published in _LINES),
    note="Published values are the best step on the target images that were trained "
         "on. Ours take 800 steps. Test images of the target have their own shares of "
         "zeros and ones. A source-only network is far better here than the published "
         "adversarial methods: the harm is theirs.",
    headline=(("MNIST to USPS, RevGrad", "target_accuracy"),
              ("MNIST to USPS, CAT", "target_accuracy")))


def run(seed=0, source="mnist", target="usps", method="cat", base=None, num_steps=800,
        many=MANY, few=FEW, num_held_out=200, verbose=0):
    """Adapts one network to a target with other shares of classes.

    Args:
        seed: Integer; draws the images too.
        source: `"mnist"` or `"usps"`, whose labels are used.
        target: The other one, whose labels are used for scores only.
        method: Name of a method of domain adaptation.
        base: Name of the method that CAT is added to; `None` for none.
        num_steps: Integer, steps of the training.
        many: Integer, zeros of the source and ones of the target.
        few: Integer, ones of the source and zeros of the target.
        num_held_out: Integer, images of the source for the temperature.
        verbose: See `keras.Model.fit`.

    Returns:
        Dict of floats, those of `domain_adaptation.train`.
    """
    splits = []
    for name, zeros, ones in ((source, many, few), (target, few, many)):
        found = domain_adaptation.images(name, seed)
        splits.append(data.with_class_counts(*found, {0: zeros, 1: ones}, seed))
    test = domain_adaptation.images(target, seed, "test")
    test = data.Split(*(part[test.y < 2] for part in test))
    whole = domain_adaptation.images(source, seed, "test")
    held_out = data.Split(*(part[whole.y < 2][:num_held_out] for part in whole))
    return domain_adaptation.train(*splits, test, held_out, seed, method, base,
                                   num_steps, verbose, outputs=2)
