"""A draw of the weights for each row, beside the plain network."""

from tools.benchmark.modes import KERAS
from tools.benchmark.section import Contender, Section, Target, Workload

SECTION = Section(
    title="A draw of the weights for each row",
    note="LeNet 20-50-500, batches of 64 random rows in memory, cross entropy, no "
         "metrics but the loss. Timed is the compiled train function that `fit` "
         "calls, with all steps of a round in one call on both sides. A step of ours "
         "has a kernel for each row, the prior, and two optimisers. A step of the "
         "other is that of the plain network.",
    contenders={
        "ours": Contender("bdlzoo `BayesAdapter`, exemplar", "bayes_adapter", KERAS),
        "deterministic": Contender("plain Keras", "deterministic", KERAS,
                                   role="plain"),
    },
    workloads={
        "lenet64": Workload("LeNet 20-50-500 on 28 x 28: a training step", share=0.5),
    },
    targets=(Target("lenet64", "deterministic", 4.0),),
)
