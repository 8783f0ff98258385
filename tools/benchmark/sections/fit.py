"""Steps of `fit`, beside a training loop written by hand."""

from tools.benchmark.modes import KERAS
from tools.benchmark.section import Contender, Section, Target, Workload

SECTION = Section(
    title="`fit`, beside a training loop written by hand",
    note="Five epochs over random rows in memory in batches of 128, each in a new "
         "order, Adam, cross entropy, the accuracy as a metric. Ours is `fit` with "
         "its checks, callbacks and logs, as a user calls it on arrays. The other is "
         "a `tf.function` for a step, called in a Python loop over a shuffled "
         "`tf.data` pipeline of the same arrays.",
    contenders={
        "ours": Contender("bdlzoo `Deterministic`, `fit`", "fit_epoch", KERAS),
        "loop": Contender("a training loop by hand, plain Keras", "handwritten_loop",
                          KERAS, role="plain"),
    },
    workloads={
        "small": Workload("MLP 784-50-10: a step of an epoch", share=10.0),
        "mlp": Workload("MLP 784-400-400-10: a step of an epoch", share=5.0),
    },
    targets=(Target("small", "loop", 1.25), Target("mlp", "loop", 1.25)),
)
