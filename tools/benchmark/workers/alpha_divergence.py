"""Training steps of `AlphaDivergenceDropout` with ten draws each."""

from bdlzoo import methods, networks
from tools.benchmark.workers import keras_steps, protocol, training

DRAWS = 10


def network():
    """784-256-256-10 with dropout before every layer: no draw shares any work."""
    return networks.MLP(training.SHAPES["mlp"], (256, 256), dropout=0.5,
                        dropout_at="all")


def prepare(workload, mode, steps):
    model = methods.AlphaDivergenceDropout(
        network(), alpha=0.5, num_train_samples=DRAWS,
        num_data=training.NUM_DATA, seed=0)
    model.compile(metrics=[], **keras_steps.compile_arguments(mode, steps))
    return keras_steps.steps_of(model, workload, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
