"""Five members of this zoo's `DeepEnsemble`, each with rows of its own."""

import numpy as np
import tensorflow as tf

from bdlzoo import methods, networks
from tools.peers import keras_steps, protocol, training

MEMBERS = 5


def prepare(workload, mode, steps):
    task, *predicts = workload.split("_")
    make = {"mlp": networks.MLP, "lenet": networks.LeNet}[task]
    model = methods.DeepEnsemble(make(training.SHAPES[task]), num_members=MEMBERS,
                                 num_data=training.NUM_DATA, seed=0)
    model.compile(metrics=[], **keras_steps.compile_arguments(mode, steps))
    if predicts:
        return keras_steps.predictions_of(model, task, steps)
    x, y = training.batches(task)
    # Orders of their own: the rows of member m are those of all, shifted.
    x, y = (np.stack([np.roll(part, shift, axis=1) for shift in range(MEMBERS)],
                     axis=2) for part in (x, y))
    data = tf.data.Dataset.from_tensor_slices((x, y)).repeat()
    model.build((None, *training.SHAPES[task]))
    return keras_steps.steps_on(model, data, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
