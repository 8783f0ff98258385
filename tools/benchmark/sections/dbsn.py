"""Cells of grouped operations, and the extra time of a random structure."""

from tools.benchmark.section import Contender, Section, Target, Workload

SECTION = Section(
    title="Cells of grouped operations, and the extra time of a structure",
    note="Batches of 128 random images in memory, SGD with momentum, cross entropy, "
         "no metrics but the loss. Timed is the compiled train function that `fit` "
         "calls, with all steps of a round in one call on all sides. A step of ours "
         "draws one structure and updates its logits by Adam. The network with one "
         "operation an edge has the same outputs, is made of plain Keras layers, and "
         "learns its mixing weights without a draw. The network with a fixed "
         "structure is ours without draws. XLA is left out: it takes ten times as "
         "long for these convolutions on a CPU.",
    contenders={
        "ours": Contender("bdlzoo `DBSN`", "dbsn", ("graph",)),
        "edges": Contender("one operation an edge, plain Keras", "single_edges",
                           ("graph",), role="other"),
        "fixed": Contender("bdlzoo, fixed structure", "fixed_structure", ("graph",),
                           role="other"),
    },
    workloads={
        "cell": Workload("the published cell, 7 nodes, growth 16, on 8 x 8 pixels",
                         share=0.5),
        "fashion": Workload("4 cells with 4 nodes, growth 8, on 14 x 14 and 7 x 7 "
                            "pixels", share=0.25),
    },
    targets=(Target("cell", "edges", 0.5), Target("cell", "fixed", 1.15),
             Target("fashion", "fixed", 1.15)),
)
