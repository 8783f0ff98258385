"""Training steps of one chain of `SGLD`, or of five with rows of their own."""

import keras

from bdlzoo import methods, networks
from bdlzoo.data.epochs import epochs
from tools.benchmark.workers import keras_steps, protocol, training

CHAINS = {"one": 1, "five": 5}
RATE = 0.025


def network():
    """784-100-10, fcNN1 of the paper."""
    return networks.MLP(training.SHAPES["mlp"], (100,))


def prepare(workload, mode, steps):
    return chain_steps(workload, CHAINS[workload], mode, steps)


def chain_steps(workload, chains, mode, steps):
    """A callable that runs steps of chains. For `five` the data come from `fit`."""
    model = methods.SGLD(network(), num_chains=chains, thinning=20, num_kept=100,
                         num_data=training.NUM_DATA, seed=0)
    arguments = keras_steps.compile_arguments(mode, steps)
    model.compile(metrics=[], **{**arguments,
                                 "optimizer": keras.optimizers.SGD(RATE)})
    if workload == "one":
        return keras_steps.steps_of(model, "mlp", steps)
    x, y = (part.reshape(-1, *part.shape[2:]) for part in training.batches("mlp"))
    model.fit(x, y, batch_size=training.BATCH_SIZE, steps_per_epoch=int(steps),
              verbose=0)
    batches = iter(epochs(x, y, batch_size=training.BATCH_SIZE, copies=chains))
    return lambda: model.train_function(batches)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
