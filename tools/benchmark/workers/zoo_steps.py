"""Training steps of any method of the zoo, or of plain Keras, by its name."""

import keras

from bdlzoo import networks
from tools.benchmark.workers import (
    arithmetic,
    keras_steps,
    protocol,
    training,
    zoo_model,
)

_PLAIN = {"plain": 0.0, "plain_dropout": 0.5}  # Rates of dropout.


def prepare(method, workload, mode, steps):
    arguments = keras_steps.compile_arguments(mode, steps)
    if method in _PLAIN:
        make = getattr(networks, zoo_model.NETWORKS[workload])
        model = make(training.SHAPES[workload], dropout=_PLAIN[method])
        model.compile(
            loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            **arguments)
        run = keras_steps.steps_of(model, workload, steps)
    else:
        del arguments["optimizer"]  # Samplers have their own, from the config.
        model = zoo_model.make(method, workload, **arguments)
        run = keras_steps.steps_of(model, workload, steps, num_data=training.NUM_DATA)
    if mode == "graph":  # The same arithmetic in all modes.
        run.facts = lambda: arithmetic.of_step(model, workload)
    return run


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
