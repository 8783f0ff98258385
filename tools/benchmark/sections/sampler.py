"""Training steps of SGLD, beside plain SGD and the library posteriors."""

from tools.benchmark.modes import TORCH
from tools.benchmark.section import Contender, Section, Target, Workload

# Graph mode and XLA are contenders of their own: each is compared with its like.
SECTION = Section(
    title="Training steps of SGLD",
    note="784-100-10, batches of 128 random rows in memory, cross entropy, no metrics "
         "but the loss. Timed is the compiled train function that `fit` calls, with "
         "all steps of a round in one call on both sides. A step of ours draws the "
         "noise of all weights, adds the prior, and keeps one sample in 20 steps. A "
         "step of the other is plain SGD. Five chains have rows of their own, from "
         "the pipeline of `fit`; so has the one chain beside them. posteriors: a "
         "plain eager loop on ready tensors, with the prior in its posterior; its SGD "
         "is that of torchopt.",
    contenders={
        "ours": Contender("bdlzoo `SGLD`", "sgld", ("graph",)),
        "sgd": Contender("one network, plain Keras SGD", "plain_sgd", ("graph",),
                         role="plain", beside=("ours",)),
        "chain": Contender("bdlzoo `SGLD`, one chain", "one_chain", ("graph",),
                           role="other", beside=("ours",)),
        "ours_xla": Contender("bdlzoo `SGLD`, XLA", "sgld", ("xla",)),
        "sgd_xla": Contender("one network, plain Keras SGD, XLA", "plain_sgd",
                             ("xla",), role="plain", beside=("ours_xla",)),
        "posteriors": Contender("posteriors, SGLD", "posteriors", TORCH, "sgld",
                                role="library", beside=("ours",)),
        # The baseline of posteriors, not a rival: it is compared with nothing.
        "posteriors_sgd": Contender("posteriors, SGD of torchopt", "posteriors",
                                    TORCH, "sgd", role="other",
                                    beside=("posteriors",)),
    },
    workloads={
        "one": Workload("one chain", share=10.0),
        "five": Workload("five chains side by side", share=10.0),
    },
    targets=(Target("one", "sgd", 1.3),
             Target("one", "sgd_xla", 2.0, ours="ours_xla"),
             Target("one", "sgd", 1.0, rivals=("posteriors", "posteriors_sgd")),
             Target("five", "chain", 4.2)),
)
