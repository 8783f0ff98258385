"""Training steps with agreement on rows without labels, beside supervised ones."""

from tools.benchmark.section import Contender, Section, Target, Workload

SECTION = Section(
    title="Training steps with agreement",
    note="Batches of 128 random rows in memory, dropout 0.5, Adam, no metrics but the "
         "loss. Timed is the compiled train function that `fit` calls, with all steps "
         "of a round in one call on all sides. Half of the rows of ours have no "
         "labels; the supervised step has the same rows with labels for all. A step of "
         "`MeanTeacher` makes a second pass, without a gradient, and averages the "
         "weights; one of `TemporalEnsembling` reads and writes targets of rows. The "
         "targets are for graph mode.",
    contenders={
        "mean_teacher": Contender("bdlzoo `MeanTeacher`", "consistency", ("graph",),
                                  "mean_teacher"),
        "temporal_ensembling": Contender(
            "bdlzoo `TemporalEnsembling`", "consistency", ("graph",),
            "temporal_ensembling"),
        "supervised": Contender("a supervised step", "consistency", ("graph",),
                                "supervised", role="other"),
    },
    workloads={
        "lenet": Workload("LeNet 20-50-500 on 28 x 28: a training step", share=0.5),
    },
    targets=(Target("lenet", "supervised", 1.75, ours="mean_teacher"),
             Target("lenet", "supervised", 1.1, ours="temporal_ensembling")),
)
