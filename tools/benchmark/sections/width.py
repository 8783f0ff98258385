"""Growth of a training step with the width of the network."""

from tools.benchmark import sizes

SECTION = sizes.section(
    title="Growth with width",
    note="A training step of `MeanFieldVI` with Flipout on an MLP with two hidden "
         "layers of this many units, and of the plain network. The arithmetic of "
         "narrow layers grows linearly, that of wide ones quadratically.",
    axis="units", sizes=(100, 200, 400, 800, 1600),
    contenders={
        "width": sizes.contender("bdlzoo `MeanFieldVI`", "width"),
        "plain_width": sizes.contender("plain Keras", "plain_width", "plain"),
    },
    share=0.25)
