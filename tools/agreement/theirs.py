"""The figures of other libraries; runs in their environment.

    python theirs.py inputs.npz theirs.npz

It imports nothing of the zoo. An array is stored under `library|version|figure`, and
the reason of a library that does not work under `library|absent`.
"""

import importlib.metadata
import sys

import numpy as np

_HALF = 1000


def scikit_learn(given):
    from sklearn import metrics
    probs, labels = given["probs"], given["labels"]
    yield "NLL", metrics.log_loss(labels, probs)
    yield "Brier score", metrics.brier_score_loss(labels, probs, scale_by_half=False)
    ranked = given["positives"], given["scores"]
    yield "AUROC", metrics.roc_auc_score(*ranked)
    yield "average precision", metrics.average_precision_score(*ranked)
    yield "R2, weighted, around 1e8", metrics.r2_score(
        given["far"], given["far_mean"], sample_weight=given["weights"])
    yield "R2, constant and missed", metrics.r2_score(np.zeros(9), np.ones(9))
    yield "R2, one row", metrics.r2_score(np.zeros(1), np.ones(1))
    yield "Poisson deviance", metrics.mean_poisson_deviance(
        given["counts"], given["rates"])


def scoringrules(given):
    import scoringrules as rules
    means, scales, targets = given["means"], given["scales"], given["targets"]
    yield "CRPS of a Gaussian", rules.crps_normal(targets, means[0], scales[0]).mean()
    yield "CRPS of a mixture", rules.crps_mixnorm(targets, means.T, scales.T).mean()
    yield "CRPS of points", rules.crps_ensemble(
        targets, means.T, estimator="nrg").mean()


def mapie(given):
    from mapie.classification import SplitConformalClassifier
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Known(ClassifierMixin, BaseEstimator):
        """Returns the probabilities that it is asked about."""

        def fit(self, x, y):
            return self

        def predict_proba(self, x):
            return np.asarray(x)

        def predict(self, x):
            return np.argmax(x, axis=-1)

        def __sklearn_is_fitted__(self):
            return True

    known = Known()
    known.classes_ = np.arange(10)
    fitted = SplitConformalClassifier(known, confidence_level=0.9, prefit=True,
                                      conformity_score="lac")
    fitted.conformalize(given["probs"][:_HALF], given["labels"][:_HALF])
    yield "LAC sets", fitted.predict_set(given["probs"][_HALF:])[1][..., 0]


def torchmetrics(given):
    import torch
    from torchmetrics import functional
    probs, labels = torch.tensor(given["probs"]), torch.tensor(given["labels"])
    for name, norm in (("ECE, 15 bins", "l1"), ("MCE, 15 bins", "max")):
        yield name, functional.classification.multiclass_calibration_error(
            probs, labels, 10, n_bins=15, norm=norm)
    # Scores outside of [0, 1] would pass through a sigmoid in float32.
    ranked = torch.tensor(given["scores"]), torch.tensor(given["positives"])
    yield "AUROC", functional.classification.binary_auroc(*ranked)
    yield "average precision", functional.classification.binary_average_precision(
        *ranked)
    yield "CRPS of points", functional.regression.continuous_ranked_probability_score(
        torch.tensor(given["means"].T), torch.tensor(given["targets"]))


def netcal(given):
    from netcal.metrics import ECE, MCE
    for name, kind in (("ECE, 15 bins", ECE), ("MCE, 15 bins", MCE)):
        yield name, kind(15).measure(given["probs"], given["labels"])


def torchcp(given):
    import torch
    from torchcp.classification.scores import APS, RAPS, THR
    logits, labels = torch.tensor(given["logits"]), torch.tensor(given["labels"])
    plain = torch.rand
    # The same uniform numbers as ours.
    torch.rand = lambda *size, **options: torch.tensor(given["uniforms"])
    try:
        for name, score in (("LAC", THR()), ("APS", APS()), ("RAPS", RAPS(0.1, 1))):
            yield f"{name} scores of the labels", score(logits, labels)
    finally:
        torch.rand = plain


def baal(given):
    from baal.active.heuristics import BALD, Entropy
    draws = given["draws"].transpose(1, 2, 0)  # [B, C, S]
    yield "BALD of each row", BALD().get_uncertainties(draws)
    yield "entropy of each row", Entropy().get_uncertainties(draws)


def torchattacks(given):
    import torch
    import torchattacks as attacks
    x = torch.tensor(given["x"]).reshape(-1, 1, 8, 8)
    y, epsilon = torch.tensor(given["y"]).long(), float(given["epsilon"])
    network = _network(given)
    images = attacks.FGSM(network, eps=epsilon)(x, y).reshape(-1, 64)
    yield "FGSM, the images", torch.tensor(given["sure"]) * images
    found = attacks.AutoAttack(network, eps=epsilon, n_classes=10, seed=0)(x, y)
    accuracy = (network(found).argmax(1) == y).double().mean()
    # Larger logits have the same classes, and so the same worst case.
    for name in ("accuracy under the default attacks", "the same, logits times 1,000"):
        yield name, accuracy


def _network(given):
    import torch
    layers = [torch.nn.Flatten()]
    for i in (0, 2, 4):
        kernel, bias = given[f"weight_{i}"], given[f"weight_{i + 1}"]
        layer = torch.nn.Linear(*kernel.shape)
        layer.weight.data = torch.tensor(kernel.T.copy())
        layer.bias.data = torch.tensor(bias)
        layers += [layer, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1]).eval()


LIBRARIES = {"scikit-learn": scikit_learn, "scoringrules": scoringrules, "MAPIE": mapie,
             "torchmetrics": torchmetrics, "netcal": netcal, "TorchCP": torchcp,
             "baal": baal, "torchattacks": torchattacks}


def main(source, target):
    with np.load(source) as file:
        given = {name: file[name] for name in file.files}
    shifted = np.exp(given["logits"] - given["logits"].max(-1, keepdims=True))
    given["probs"] = shifted / shifted.sum(-1, keepdims=True)
    found = {}
    for library, figures in LIBRARIES.items():
        try:
            version = importlib.metadata.version(library)
            found.update({f"{library}|{version}|{name}": np.asarray(value)
                          for name, value in figures(given)})
        except Exception as error:  # A library that fails is named on the page.
            found[f"{library}|absent"] = np.array(f"{type(error).__name__}: {error}")
    np.savez(target, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
