"""A deep ensemble of vision transformers, beside one of them."""

from tools.benchmark.modes import KERAS
from tools.benchmark.section import Contender, Section, Target, Workload

SECTION = Section(
    title="Five vision transformers of custom layers, beside one",
    note="Vision transformer of 64 patches, width 64, four heads and four blocks, each "
         "block a custom layer that holds attention, normalisations and a perceptron. "
         "Batches of 32 images in memory, Adam. A training step is that of the "
         "compiled train function that `fit` calls, with all steps of a round in one "
         "call on both sides; all members see the same batches. At prediction five "
         "members answer, and Keras runs its network once, in a `tf.function`. The "
         "limit is the number of single networks that five members may cost.",
    contenders={
        "ours": Contender("bdlzoo `DeepEnsemble` of five", "vision_transformer", KERAS,
                          "ensemble"),
        "keras": Contender("one network, plain Keras", "vision_transformer", KERAS,
                           "keras", role="plain"),
    },
    workloads={
        "step": Workload("A training step", share=0.2),
        "draws": Workload("Five draws of 32 rows, beside one pass", share=0.2),
    },
    targets=(Target("step", "keras", 5.5), Target("draws", "keras", 5.5)),
)
