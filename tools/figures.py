r"""Trains the models behind the figures of the documentation and draws them.

    python -m tools.figures --figure=all --output=docs/figures
    python -m tools.figures --figure=rotating_digit --data=digits --epochs=5

Minutes on two cores with MNIST, which TFDS must find or fetch; seconds on the
bundled digits.
"""

import functools
import pathlib
import time

import keras
from absl import app, flags

from bdlzoo import data, reports
from bdlzoo.tasks import mc_dropout_figures as experiments
from tools import failure

_SUBSET = 10_000  # Training rows of the error curves.


class Figures:
    """The figures by name: each method returns a figure and its caption.

    Args:
        name: Name of the set of digits, "mnist" or "digits".
        epochs: Integer, epochs on the digits; `None` is as many as each needs.
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

    def _choose(self, mnist, digits):
        """Epochs: the bundled set is small and needs more."""
        return self.epochs or {"mnist": mnist, "digits": digits}[self.name]

    @functools.cached_property
    def _model(self):
        train, test = self._digits
        epochs = self._choose(mnist=3, digits=20)
        print(f"  training on {len(train.x)} images, {epochs} epochs", flush=True)
        return experiments.train_digits(train, epochs)

    def rotating_digit(self):
        _, test = self._digits
        result = experiments.rotating_digit(self._model, test)
        return reports.draw_scatter(**result), (
            "A digit 1 turns away from what was trained on. Single draws stay "
            "sure of themselves, but not of the same class.")

    def ranked_digits(self):
        _, (x, y) = self._digits
        prediction = self._model.predict_uncertainty(x, 100)
        return reports.ranked_images(x, prediction, y), (
            "Test digits on which 100 draws vote apart, and on which they "
            "agree; a wrong prediction is coloured.")

    def dropout_error(self):
        train, test = self._digits
        train = data.Split(train.x[:_SUBSET], train.y[:_SUBSET])
        result = experiments.dropout_error(
            train, test, self._choose(mnist=10, digits=20))
        return reports.error_curves(**result), (
            f"Test error after training on {len(train.x)} images: the mean "
            "network of dropout against the mean over its draws.")

    def binary_toy(self):
        return reports.binary_probability(**experiments.binary_toy()), (
            "Two classes on the line, data on [-3, 3]. The draws fan out where "
            "the classes meet.")

    def heteroscedastic_toy(self):
        return reports.predictive_band(**experiments.heteroscedastic_toy()), (
            "Noise of the data grows with x; the uncertainty of the model grows "
            "in the gap and outside of the data.")


NAMES = ("rotating_digit", "ranked_digits", "dropout_error", "binary_toy",
         "heteroscedastic_toy")

_FIGURE = flags.DEFINE_enum("figure", "all", ("all", *NAMES), "Which figure.")
_OUTPUT = flags.DEFINE_string("output", "docs/figures", "Folder for the images.")
_DATA = flags.DEFINE_enum("data", "mnist", ("mnist", "digits"),
                          "Digits to train on; `digits` needs no download.")
_EPOCHS = flags.DEFINE_integer(
    "epochs", None, "Epochs on the digits, for a quick look.", lower_bound=1)


def write(figures, name, output):
    """Draws one figure into a folder; returns the path of the image."""
    print(f"{name} ...", flush=True)
    begin = time.monotonic()
    keras.utils.set_random_seed(0)  # The same picture, drawn alone or with all.
    figure, caption = getattr(figures, name)()
    path = pathlib.Path(output, f"{name}.png")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    print(f"{path} ({time.monotonic() - begin:.0f} s): {caption}", flush=True)
    return path


def main(argv):
    del argv
    with failure.explained():
        figures = Figures(_DATA.value, _EPOCHS.value)
        for name in NAMES if _FIGURE.value == "all" else (_FIGURE.value,):
            write(figures, name, _OUTPUT.value)


if __name__ == "__main__":
    app.run(main)
