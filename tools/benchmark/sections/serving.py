"""Answers of a served LeNet with 32 draws, beside one network."""

from tools.benchmark.modes import KERAS
from tools.benchmark.section import Contender, Section, Target, Workload

SECTION = Section(
    title="Answers of a served LeNet",
    note="A SavedModel, loaded by a session as TF Serving does it, asked by its "
         "signature `serving_default`. This is the time inside the server, without "
         "the network between. Dropout of 0.5 before the last layer; the layers "
         "before it run once for all draws. A step is a request. XLA compiles once "
         "for each size of a batch, before the timing.",
    contenders={
        "ours": Contender("bdlzoo `MCDropout`, 32 draws", "served_dropout", KERAS),
        "one": Contender("one network, bdlzoo `Deterministic`",
                         "served_deterministic", KERAS, role="plain"),
    },
    workloads={
        "one": Workload("One image of 28 x 28 a request"),
        "many": Workload("32 images a request", share=0.5),
    },
    targets=(Target("one", "one", 3.0),),
)
