"""Growth of a training step with the depth of the network."""

from tools.benchmark import sizes

SECTION = sizes.section(
    title="Growth with depth",
    note="A training step of `MeanFieldVI` with Flipout on an MLP with this many "
         "hidden layers of 200 units, and of the plain network.",
    axis="layers", sizes=(1, 2, 4, 8, 16),
    contenders={
        "depth": sizes.contender("bdlzoo `MeanFieldVI`", "depth"),
        "plain_depth": sizes.contender("plain Keras", "plain_depth", "plain"),
    },
    share=0.5)
