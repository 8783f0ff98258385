"""Training steps of `MeanFieldVI` with layers of Flipout."""

from bdlzoo import methods, networks
from tools.benchmark.workers import keras_steps, protocol, training


def prepare(workload, mode, steps):
    make, layers = {
        "mlp": (networks.MLP, {}),
        "lenet": (networks.LeNet, {"conv": "Conv2DFlipout"}),
    }[workload]
    network = make(training.SHAPES[workload], layer="DenseFlipout", **layers)
    model = methods.MeanFieldVI(network, num_data=training.NUM_DATA, seed=0)
    model.compile(metrics=[], **keras_steps.compile_arguments(mode, steps))
    return keras_steps.steps_of(model, workload, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
