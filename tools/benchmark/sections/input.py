"""Training steps with shuffled rows, beside one batch that is ready in memory."""

from tools.benchmark.section import Contender, Section, Target, Workload

SECTION = Section(
    title="Training steps that wait for their data",
    note="Batches of 128 rows of 60,000, Adam, cross entropy, no metrics but the "
         "loss. Timed is the compiled train function that `fit` calls, with all steps "
         "of a round in one call on both sides. Ours has the pipeline that `fit` "
         "makes of arrays: an order for each epoch, rows gathered and fetched ahead. "
         "The other repeats one batch in memory. The share of the time that steps "
         "wait for rows is `1 - 1 / ratio`, with the ratio of ours to the other.",
    contenders={
        "ours": Contender("bdlzoo, rows shuffled by `fit`", "shuffled_rows",
                          ("graph",)),
        "ready": Contender("bdlzoo, one batch repeated", "ready_batches", ("graph",),
                           role="other"),
    },
    workloads={
        "mlp": Workload("MLP 784-400-400-10, ReLU: a training step"),
        "lenet": Workload("LeNet 20-50-500 on 28 x 28: a training step", share=0.25),
    },
    targets=(Target("mlp", "ready", 1.1), Target("lenet", "ready", 1.1)),
)
