"""Recurrent dropout and a recurrent posterior, beside the LSTM of Keras."""

from tools.benchmark.modes import KERAS
from tools.benchmark.section import Contender, Section, Target, Workload

SECTION = Section(
    title="Recurrent dropout and posteriors, beside dropout of Keras",
    note="LSTM of 64 units on 24 steps of 8 numbers, batches of 64 rows in memory, "
         "`dropout` and `recurrent_dropout` of 0.25, Adam. A training step is that of "
         "the compiled train function that `fit` calls, with all steps of a round in "
         "one call on all sides. At prediction ours draw 32 times, and Keras runs its "
         "network once, without dropout, in a `tf.function`; the limit is the number "
         "of passes that 32 draws may take.",
    contenders={
        "ours": Contender("bdlzoo `MCDropout`, one mask over time", "recurrent", KERAS,
                          "dropout"),
        "flipout": Contender("bdlzoo `MeanFieldVI`, `LSTMFlipout`", "recurrent", KERAS,
                             "flipout"),
        "keras": Contender("`keras.layers.LSTM` with dropout", "recurrent", KERAS,
                           "keras", role="plain"),
    },
    workloads={
        "step": Workload("A training step"),
        "draws": Workload("32 draws of 64 rows, beside one pass", share=0.2),
    },
    targets=(Target("step", "keras", 1.25), Target("draws", "keras", 34.0)),
)
