"""Training steps with dropout of the zoo, beside dropout of Keras."""

from tools.benchmark.modes import KERAS
from tools.benchmark.section import Contender, Section, Target, Workload

SECTION = Section(
    title="Training steps with dropout, beside dropout of Keras",
    note="Batches of 128 random rows in memory, dropout of 0.5 after every hidden "
         "layer of the MLP and before the last layer of LeNet, Adam, cross entropy, "
         "no metrics but the loss. Timed is the compiled train function that `fit` "
         "calls, with all steps of a round in one call on both sides.",
    contenders={
        "ours": Contender("bdlzoo `MCDropout`", "zoo_steps", KERAS, "mc_dropout"),
        "keras": Contender("the same network with dropout, plain Keras", "zoo_steps",
                           KERAS, "plain_dropout", role="plain"),
    },
    workloads={
        "mlp": Workload("MLP 784-400-400-10: a training step"),
        "lenet": Workload("LeNet 20-50-500: a training step", share=0.25),
    },
    targets=(Target("mlp", "keras", 1.1), Target("lenet", "keras", 1.1)),
)
