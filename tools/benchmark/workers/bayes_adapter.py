"""Training steps of `BayesAdapter`, with a draw of the weights for each row."""

from bdlzoo import methods, networks
from tools.benchmark.workers import keras_steps, protocol, training


def prepare(workload, mode, steps):
    network = networks.LeNet(training.SHAPES[workload])
    model = methods.BayesAdapter(network, allow_untrained=True, seed=0,
                                 num_data=training.NUM_DATA)
    # Its own two optimisers, not Adam.
    options = keras_steps.compile_arguments(mode, steps)
    model.compile(metrics=[], **{**options, "optimizer": None})
    return keras_steps.steps_of(model, workload, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
