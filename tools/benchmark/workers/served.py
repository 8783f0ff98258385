"""Requests to an exported model, answered as in a server, without the network."""

import pathlib
import tempfile

from bdlzoo.serving.served_version import ServedVersion
from tools.benchmark.workers import training

ROWS = {"one": 1, "many": 32}


def requests_of(model, workload, mode, steps):
    """Returns a callable that answers `steps` requests.

    Args:
        model: `PredictiveModel` for the images of the step benchmarks.
        workload: One of `ROWS`.
        mode: `"graph"` or `"xla"`.
        steps: How many requests.
    """
    images, _ = training.batches("lenet")
    if not model.built:  # A trained model is built; building it again would reset it.
        model.build((None, *training.SHAPES["lenet"]))
    with tempfile.TemporaryDirectory() as folder:
        path = model.export(folder, jit_compile=mode == "xla")
        size = sum(file.stat().st_size for file in pathlib.Path(path).rglob("*")
                   if file.is_file())
        version = ServedVersion(path)
    inputs = {"inputs": images[0, :ROWS[workload]]}

    def run():
        for _ in range(int(steps)):
            version.run(inputs)

    run.facts = lambda: {"MB": size / 1e6}
    return run
