"""Ten draws in a step of alpha-divergence dropout, beside ten steps of one."""

from tools.benchmark.section import Contender, Section, Target, Workload

# Graph mode and XLA are contenders of their own: each is compared with its like.
SECTION = Section(
    title="Ten draws in a step of alpha-divergence dropout",
    note="Batches of 128 random rows, dropout on the input too, Adam, cross entropy, "
         "no metrics but the loss. Timed is the compiled train function that `fit` "
         "calls, with all steps of a round in one call on both sides. A step of ours "
         "has ten draws. A step of the other is ten steps of one draw each, on "
         "batches of their own. The target is for graph mode.",
    contenders={
        "ours": Contender("bdlzoo `AlphaDivergenceDropout`, ten draws",
                          "alpha_divergence", ("graph",)),
        "ten": Contender("ten steps of one draw, bdlzoo `MCDropout`", "single_draws",
                         ("graph",), role="other", beside=("ours",)),
        "ours_xla": Contender("bdlzoo `AlphaDivergenceDropout`, ten draws, XLA",
                              "alpha_divergence", ("xla",)),
        "ten_xla": Contender("ten steps of one draw, bdlzoo `MCDropout`, XLA",
                             "single_draws", ("xla",), role="other",
                             beside=("ours_xla",)),
    },
    workloads={
        "mlp": Workload("MLP 784-256-256-10, ReLU: a training step", share=0.25),
    },
    targets=(Target("mlp", "ten", 0.6),),
)
