"""Training steps of methods that agree on rows without labels, by name.

Half of the rows of a batch have labels. `supervised` is the same network with labels
for all of them.
"""

from bdlzoo import methods, networks
from tools.benchmark.workers import keras_steps, protocol, training


class _Supervised(methods.PiModel):
    side_data = ()  # All rows have labels.


_KINDS = {"supervised": _Supervised, "mean_teacher": methods.MeanTeacher,
          "temporal_ensembling": methods.TemporalEnsembling}


def prepare(method, workload, mode, steps):
    weight = 0.0 if method == "supervised" else 20.0
    make = networks.MLP if workload == "mlp" else networks.LeNet
    model = _KINDS[method](make(training.SHAPES[workload], dropout=0.5), seed=0,
                           consistency_weight=weight)
    model.compile(metrics=[], **keras_steps.compile_arguments(mode, steps))
    return keras_steps.steps_of(model, workload, steps, num_data=training.NUM_DATA)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
