"""Five members of a deep ensemble, beside one network."""

from tools.benchmark.modes import KERAS
from tools.benchmark.section import Contender, Section, Target, Workload

SECTION = Section(
    title="Five members of a deep ensemble",
    note="Batches of 128 random rows a member, Adam, cross entropy, no metrics but "
         "the loss. Timed is the compiled train function that `fit` calls, with all "
         "steps of a round in one call on both sides. Every member has rows of its "
         "own. Five separate networks take five times as long as the one network.",
    contenders={
        "ours": Contender("bdlzoo `DeepEnsemble`, five members", "deep_ensemble",
                          KERAS),
        "one": Contender("one network, plain Keras", "deterministic", KERAS,
                         role="plain"),
    },
    workloads={
        "mlp": Workload("MLP 784-400-400-10, ReLU: a training step"),
        "lenet": Workload("LeNet 20-50-500 on 28 x 28: a training step", share=0.25),
        "mlp_predict": Workload("MLP 784-400-400-10, ReLU: `predict`, a batch"),
    },
    targets=(Target("mlp", "one", 4.2), Target("lenet", "one", 5.0),
             Target("mlp_predict", "one", 3.0)),
)
