"""Training steps of `AdversarialDistributionalTraining`, explicit distribution."""

from bdlzoo import methods, networks
from tools.benchmark.workers import keras_steps, protocol, training

STEPS, DRAWS = 7, 2  # Of the inner loop.
# Random rows are not in [0, 1]: this box holds all of them.
BALL = dict(epsilon=0.3, warm_up=0.0, low=-10.0, high=10.0)


def network(workload):
    """The network of a workload."""
    kinds = {"wong_kolter": networks.WongKolterCNN, "trades": networks.TradesCNN}
    return kinds[workload](training.SHAPES[workload])


def prepare(workload, mode, steps):
    model = methods.AdversarialDistributionalTraining(
        network(workload), num_steps=STEPS, num_train_samples=DRAWS,
        num_data=training.NUM_DATA, seed=0, **BALL)
    model.compile(metrics=[], **keras_steps.compile_arguments(mode, steps))
    return keras_steps.steps_of(model, workload, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
