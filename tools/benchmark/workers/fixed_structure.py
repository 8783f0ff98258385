"""Training steps of the network of `DBSN` with equal, fixed mixing weights."""

from tools.benchmark.workers import dbsn, keras_steps, protocol


def prepare(workload, mode, steps):
    fixed = dbsn.model(workload, learn_structure=False, draw_structure=False)
    fixed.compile(metrics=[], **dbsn.arguments(mode, steps))
    return keras_steps.steps_of(fixed, workload, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
