r"""Trains the models behind the figures of the documentation and draws them.

    python -m tools.figures --figure=all --output=docs/figures
    python -m tools.figures --figure=rotating_digit --data=digits

It takes minutes on two cores with MNIST, which TFDS must find or download, and less
than one minute with the bundled digits.
"""

from absl import flags

from bdlzoo.programs import console
from tools import gallery

_FIGURE = flags.DEFINE_multi_enum(
    "figure", ["all"], ("all", *gallery.NAMES),
    "Name of the figure; repeat it for several, which share what they train.")
_OUTPUT = flags.DEFINE_string("output", "docs/figures", "Folder for the images.")
_DATA = flags.DEFINE_enum("data", "mnist", ("mnist", "digits"),
                          "Digits to train on; `digits` needs no download.")
_EPOCHS = flags.DEFINE_integer(
    "epochs", None, "Epochs of every training, for a quick test.", lower_bound=1)


def main(argv):
    del argv
    with console.explained():
        figures = gallery.Figures(_DATA.value, _EPOCHS.value)
        chosen = _FIGURE.value
        for name in gallery.NAMES if "all" in chosen else chosen:
            gallery.write(figures, name, _OUTPUT.value)


if __name__ == "__main__":
    console.run(main)
