"""Ten training steps of `MCDropout` with one draw, for one with ten draws."""

from bdlzoo import methods
from tools.benchmark.workers import alpha_divergence, keras_steps, protocol, training


def prepare(workload, mode, steps):
    steps = alpha_divergence.DRAWS * int(steps)
    model = methods.MCDropout(alpha_divergence.network(),
                              num_data=training.NUM_DATA, seed=0)
    model.compile(metrics=[], **keras_steps.compile_arguments(mode, steps))
    return keras_steps.steps_of(model, workload, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
