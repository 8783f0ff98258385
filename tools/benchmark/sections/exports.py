"""Exported SavedModels of all methods: size and latency."""

import dataclasses

from tools.benchmark import every_method
from tools.benchmark.section import Section, Workload

_METHODS = every_method.contenders("exported", ("graph",))

SECTION = Section(
    title="Exports of all methods: size and latency",
    note="A SavedModel, loaded by a session as TF Serving does it, asked by its "
         "signature `serving_default`. This is the time inside the server, without "
         "the network between. MB is the size of all its files. The network is LeNet "
         "20-50-500 on 28 x 28, or those of SDE-Net, SDE-HNN and DBSN. An answer has "
         "32 draws, kept samples or generated networks, or 5 members. A step is a "
         "request. All methods share one process.",
    contenders={**_METHODS, "deterministic": dataclasses.replace(
        _METHODS["deterministic"], role="plain")},
    workloads={
        "one": Workload("One image a request"),
        "many": Workload("32 images a request", share=0.25),
    },
    together=True,
)
