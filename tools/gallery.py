"""Figures of the documentation: trains the models and draws them."""

import functools
import json
import pathlib
import tempfile
import time

import keras
import numpy as np

from bdlzoo import data, reports, runs
from bdlzoo.data.scenes import CLASSES, UNKNOWN
from bdlzoo.evaluation import loss_surface, pixel_maps
from tools.generated_figures import GeneratedFigures
from tools.reproduce import (
    adversarial_mnist,
    adversarial_samples,
    camvid,
    consistency_moons,
    dbsn_dense,
    deep_sea_risk,
    degp_toy,
    direct_bias,
    evidence_bound,
    looks,
    posterior_toy,
    scenes,
    thompson_deep_sea,
)
from tools.reproduce import mc_dropout_figures as experiments

NAMES = ("rotating_digit", "ranked_digits", "dropout_error", "binary_toy",
         "heteroscedastic_toy", "evidence_bound", "label_curves", "member_curves",
         "hourly_coverage", "degp_toy", "attack_curves", "uncertainty_maps",
         "learnt_structure", "adversarial_samples", "loss_surface", "vae_samples",
         "vae_latent_walk", "discrete_codes", "direct_bias", "mixture_samples",
         "mixture_transfer", "few_labels_moons", "label_efficiency", "double_descent",
         "scene_maps", "street_maps", "doubt_curves", "structured_gan_samples",
         "structured_gan_transfer", "structured_gan_walk", "deep_sea_risk",
         "rooms_gradients", "thompson_deep_sea", "thompson_foraging", "bandit_regret")
ROOT = pathlib.Path(__file__).parents[1]
_SUBSET = 10_000  # Training rows of the error curves.


class Figures(GeneratedFigures):
    """Figures by name: each method returns a figure and its caption.

    Args:
        name: Name of the set of digits, `"mnist"` or `"digits"`.
        epochs: Integer, epochs of every training; `None` takes those of each figure.
    """

    def __init__(self, name, epochs=None):
        self.name = name
        self.epochs = epochs

    @functools.cached_property
    def _digits(self):
        try:
            return [data.load(self.name, split, validation=0)
                    for split in ("train", "test")]
        except FileNotFoundError as error:
            raise FileNotFoundError(
                f"{error}\nOr draw the figure from bundled data: "
                "`--data=digits`.") from error

    def _choose(self, **epochs):
        """Epochs for the data set; a small one needs more."""
        return self.epochs or epochs[self.name]

    @functools.cached_property
    def _model(self):
        train, _ = self._digits
        epochs = self._choose(mnist=3, digits=20)
        print(f"  training on {len(train.x)} images, {epochs} epochs", flush=True)
        return experiments.train_digits(train, epochs)

    def rotating_digit(self):
        _, test = self._digits
        result = experiments.rotating_digit(self._model, test)
        return reports.draw_scatter(**result), (
            "A digit 1 is rotated: the draws agree while it is upright, and spread "
            "over other classes when it is horizontal.")

    def ranked_digits(self):
        _, (x, y) = self._digits
        prediction = self._model.predict_uncertainty(x, 100)
        return reports.ranked_images(x, prediction, y), (
            "Test digits on which 100 draws disagree, and on which they agree; a "
            "wrong prediction is coloured.")

    def dropout_error(self):
        train, test = self._digits
        train = data.Split(train.x[:_SUBSET], train.y[:_SUBSET])
        result = experiments.dropout_error(
            train, test, self._choose(mnist=8, digits=20))
        return reports.error_curves(**result), (
            f"Test error on {len(train.x)} training images. With dropout before "
            "the last layer only, one pass comes close to the mean over draws.")

    def binary_toy(self):
        result = experiments.binary_toy(self.epochs or 1000)
        return reports.binary_probability(**result), (
            "Two classes with one input, 24 points on [-3, 3]. The draws differ "
            "most where the classes meet; far outside the sigmoid is flat.")

    def heteroscedastic_toy(self):
        result = experiments.heteroscedastic_toy(self.epochs or 400)
        return reports.predictive_band(**result), (
            "Noise of the data grows with x; the uncertainty of the model grows "
            "in the gap and outside of the data.")

    def evidence_bound(self):
        result = evidence_bound.curve(num_steps=self.epochs or 4096)
        return reports.evidence_curve(**result), (
            "The bound of mean-field VI on a sine rises until the network fits, "
            "then falls, mostly by the KL of further weights. The bound does not "
            "show whether the evidence falls too.")

    def label_curves(self):
        return reports.label_curves(
            **_accuracies("active_learning"), goal=0.9), (
            "MNIST from few labels: labels of rows that MC dropout is unsure of "
            "raise the accuracy more than those of random rows.")

    def degp_toy(self):
        result = degp_toy.panels(num_steps=self.epochs or 1000)
        return reports.posterior_panels(**result), (
            "Eight points: DE-GP is as unsure as the exact process of its "
            "architecture, at the data and outside; a plain ensemble is too sure at "
            "the data, and its uncertainty outside is arbitrary.")


    def hourly_coverage(self):
        labels = {"sde_hnn": "SDE-HNN", "heteroscedastic_nn": "one network",
                  "deep_ensemble": "deep ensemble", "mc_dropout": "MC dropout",
                  "mean_field_vi": "Flipout"}
        found = {}
        for method, label in labels.items():
            config = runs.read_config(f"metro_traffic/{method}.py")
            config.epochs = self.epochs or config.epochs
            print(f"  training: {label}, {config.epochs} epochs", flush=True)
            with tempfile.TemporaryDirectory() as folder:
                run = runs.Run(config, folder)
                run.complete(verbose=0)
                x, y = run.data["test"]
                found[label] = run.model.predict_uncertainty(x), y
        return reports.coverage_curve(found), (
            "Hourly traffic: share of the counts inside of intervals of each "
            "probability, and the calibration error of each model.")

    def member_curves(self):
        rows = _rows_of("ensemble")
        counts = _counts(rows, "nll_")
        return reports.member_curves(
            {row["label"]: [[scores[f"nll_{count}"] for count in counts]
                            for scores in row["scores"]] for row in rows},
            {row["label"]: row["published"]["nll"] for row in rows}), (
            "The first members that are added help most; the line is an ensemble of "
            "ten that was trained longer.")

    def attack_curves(self):
        rows = _rows_of("alpha_adversarial")
        etas, untargeted = _attack(rows, "eta", "accuracy", "entropy",
                                   "entropy_error")
        steps, targeted = _attack(rows, "step", "accuracy", "success", "entropy",
                                  "entropy_error")
        first = {row["label"]: row["scores"][0] for row in rows}
        broken = next(iter(first.values()))  # The same in every row.
        ratios = ", ".join(f"{name} {scores['entropy_ratio']:.1f}"
                           for name, scores in first.items())
        return reports.attack_curves(
            etas, untargeted, steps, targeted, broken["break_eta"],
            broken["break_step"]), (
            "The dashed lines are where the accuracy of the plain network falls under "
            "0.2. Entropies there, untargeted, as a multiple of that of the plain "
            f"network: {ratios}. Bands are one standard error over images.")

    def uncertainty_maps(self):
        options = {} if self.epochs is None else dict(
            num_steps=100 * self.epochs, burn_in=0, gan_steps=100 * self.epochs)
        return reports.uncertainty_maps(**posterior_toy.maps(**options)), (
            "One network is sure nearly everywhere; samples of SGLD, and networks of a "
            "generator trained on them, are unsure where there are no data.")

    def learnt_structure(self):
        model, _ = dbsn_dense.trained(epochs=self.epochs)
        return reports.structure_graph(
            model.edge_probabilities(), model.structure.operations), (
            "Structure of a cell with five nodes that DBSN has learnt on digits: a "
            "wider arc means a more probable operation.")

    def adversarial_samples(self):
        found = adversarial_samples.panels(
            name=self.name, epochs=self._choose(mnist=2, digits=20))
        wrong = found["labels"]["learnt"]
        return reports.perturbation_samples(**found), (
            "A test image, and perturbations of at most 0.3 a pixel against a network "
            f"that was trained as usual; it predicts {len(set(wrong))} classes for "
            f"{len(wrong)} draws of the learnt distribution.")

    def loss_surface(self):
        _, (x, y) = self._digits
        surfaces = {label: loss_surface.loss_surface(
            adversarial_mnist.trained(
                0, method, self.name, epochs=self._choose(mnist=2, digits=20)).network,
            x[:100], y[:100], radius=0.3) for label, method in (
                ("trained as usual", "standard"), ("against PGD", "at_pgd"),
                ("against a law of perturbations", "adt_exp"))}
        rises = ", ".join(f"{found.rise:.1f}" for found in surfaces.values())
        places = surfaces["against PGD"].places
        return reports.loss_surface(places, {
            label: found.losses for label, found in surfaces.items()}), (
            "Mean loss of 100 test images, moved by at most 0.3 a pixel along the sign "
            f"of its gradient and along random signs; it rises by {rises} nats.")

    def direct_bias(self):
        found = direct_bias.curves({"rows": _rows_of("direct_bias")})
        return reports.bias_variance(**found), (
            "Bias and variance of gradients through discrete draws, against epsilon of "
            "direct optimisation and tau of Gumbel-softmax.")

    def deep_sea_risk(self):
        return reports.risk_choices(**deep_sea_risk.curve(
            _rows_of("deep_sea_risk"))), (
            "What is learnt in Deep Sea, against epsilon: negative ones give the safe "
            "plan, positive ones an even mixture with the gamble, and not the gamble "
            "alone.")

    def rooms_gradients(self):
        return reports.return_curves(**looks.curves(
            _rows_of("rooms_gradients"), "finished"), goal=0.9,
            title="share at the goal"), (
            "Share of test episodes in two rooms that reach the goal, against steps of "
            "the world, those of the search among them.")

    def thompson_deep_sea(self):
        return reports.return_curves(**thompson_deep_sea.curves(
            _rows_of("thompson_deep_sea")), title="share of seeds"), (
            "Share of seeds whose greedy policy finds the treasure of a Deep Sea of "
            "ten steps, against steps of the world.")

    def thompson_foraging(self):
        return reports.return_curves(**looks.curves(
            _rows_of("thompson_foraging"), "return")), (
            "Return of the greedy policy in the foraging world, against steps of the "
            "world.")

    def bandit_regret(self):
        rows = [row for row in _rows_of("bandit_regret") if row["label"] != "random"]
        return reports.return_curves(
            **looks.curves(rows, "regret"), title="regret"), (
            "Regret of Thompson sampling in contextual bandits, summed over choices, "
            "by posterior; random choices are far above.")

    def few_labels_moons(self):
        result = consistency_moons.maps(num_steps=self.epochs or 1200)
        return reports.class_maps(**result), (
            "Two moons with six labels: probabilities of a supervised network, of the "
            "Pi-model and of a mean teacher.")

    def label_efficiency(self):
        return reports.label_curves(
            **_accuracies("label_efficiency"), log_labels=True), (
            "MNIST from few labels: of random rows or of those that dropout masks "
            "disagree on, with and without agreement on the rows without labels.")

    def scene_maps(self):
        train, test = scenes.scenes(0, 512, 12, (48, 48))
        model = scenes.trained("both", train, steps=40 * (self.epochs or 30))
        rows = np.argsort(~test.unknown.any(axis=(1, 2)), kind="stable")[3:9]
        return reports.label_maps(**_maps(
            model, test.x[rows], test.y[rows], UNKNOWN, len(CLASSES))), (
            "Scenes of shapes: aleatoric uncertainty is at blurred borders, epistemic "
            "uncertainty at the ring, which no training scene has (white targets).")

    def doubt_curves(self):
        return reports.doubt_curves(**scenes.curves(_rows_of("scenes_trends"))), (
            "Scenes of shapes: noise of labels raises the aleatoric uncertainty, and "
            "more training scenes lower the epistemic one.")

    def street_maps(self):
        (x, y), test = (data.load("camvid", split, size=(48, 64))
                        for split in ("train", "test"))
        model = camvid.trained("both", x, y, steps=46 * (self.epochs or 30))
        rows = slice(None, None, len(test.x) // 5)
        return reports.label_maps(**_maps(
            model, test.x[rows], test.y[rows], 11, 11)), (
            "Streets of CamVid at 48 x 64 pixels, U-Net with noisy logits and MC "
            "dropout: borders are doubted, and objects that are rare.")

    def double_descent(self):
        rows = _rows_of("double_descent")
        return reports.width_curves({row["label"]: {
            width: [scores[f"error_{width}"] for scores in row["scores"]]
            for width in _counts([row], "error_")} for row in rows}, threshold=300), (
            "Random features of 300 images, a tenth with a wrong label: the error "
            "peaks where features are as many as images, unless the weights have a "
            "prior.")


def _maps(model, x, y, ignored, num_classes):
    """Maps of the rows, as `reports.label_maps` takes them."""
    found = pixel_maps(model, x)
    return dict(images=x, targets=np.where(y == ignored, np.nan, y),
                predicted=found.label.astype(float), uncertainty=found.total,
                num_classes=num_classes, aleatoric=found.aleatoric,
                epistemic=found.epistemic)


def _attack(rows, kind, *metrics):
    """Places along an attack, and the curves of the first seed by row and metric."""
    prefix = f"accuracy_{kind}_"
    places = [name.removeprefix(prefix) for name in rows[0]["scores"][0]
              if name.startswith(prefix)]
    return [float(place) for place in places], {
        row["label"]: {metric: [row["scores"][0][f"{metric}_{kind}_{place}"]
                                for place in places] for metric in metrics}
        for row in rows}


def _rows_of(table):
    """Rows of a table of `tools.reproduce` that was run before."""
    path = ROOT / f"docs/results/{table}.json"
    if not path.exists():
        raise FileNotFoundError(
            "Expected the curves of the table: run `python -m tools.reproduce "
            f"--table={table}` first. Received: no {path}")
    return json.loads(path.read_text())["rows"]


def _accuracies(table):
    """Numbers of labels, and accuracies by line, for `reports.label_curves`."""
    rows = _rows_of(table)
    counts = _counts(rows, "accuracy_")
    return dict(labels=counts, accuracies={row["label"]: [
        [scores[f"accuracy_{count}"] for count in counts]
        for scores in row["scores"]] for row in rows})


def _counts(rows, prefix):
    """Numbers after a prefix in the names of scores, in rising order."""
    names = [name.removeprefix(prefix) for name in rows[0]["scores"][0]
             if name.startswith(prefix)]
    return sorted(int(name) for name in names if name.isdigit())


def write(figures, name, output):
    """Draws one figure into a folder.

    Args:
        figures: `Figures`.
        name: Name of the figure.
        output: Folder for the image.

    Returns:
        Path of the image.
    """
    print(f"{name} ...", flush=True)
    begin = time.monotonic()
    keras.utils.set_random_seed(0)  # So that other figures do not change this one.
    figure, caption = getattr(figures, name)()
    path = pathlib.Path(output, f"{name}.png")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    print(f"{path} ({time.monotonic() - begin:.0f} s): {caption}", flush=True)
    return path
