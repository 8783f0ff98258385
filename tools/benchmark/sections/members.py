"""Growth of a training step with the members of an ensemble, or with chains."""

from tools.benchmark import sizes

SECTION = sizes.section(
    title="Growth with members",
    note="A training step of `DeepEnsemble` on MLP 784-200-10, batches of 128 random "
         "rows in memory, Adam; and of `SGLD` with as many chains.",
    axis="members", sizes=(2, 4, 8, 16, 32),
    contenders={
        "members": sizes.contender("bdlzoo `DeepEnsemble`", "members"),
        "chains": sizes.contender("bdlzoo `SGLD`, chains", "chains"),
    },
    share=0.5, limit=sizes.LINEAR)
