"""Training steps of five members of `DeepEnsemble`, each with rows of its own."""

from bdlzoo import methods, networks
from bdlzoo.data.epochs import epochs
from tools.benchmark.workers import keras_steps, protocol, training

MEMBERS = 5


def prepare(workload, mode, steps):
    task, *predicts = workload.split("_")
    make = {"mlp": networks.MLP, "lenet": networks.LeNet}[task]
    model = methods.DeepEnsemble(make(training.SHAPES[task]), num_members=MEMBERS,
                                 num_data=training.NUM_DATA, seed=0)
    model.compile(metrics=[], **keras_steps.compile_arguments(mode, steps))
    if predicts:
        return keras_steps.predictions_of(model, task, steps)
    x, y = (part.reshape(-1, *part.shape[2:]) for part in training.batches(task))
    model.fit(x, y, batch_size=training.BATCH_SIZE, steps_per_epoch=int(steps),
              verbose=0)
    # The pipeline of `fit`, with an order for each member.
    batches = iter(epochs(x, y, batch_size=training.BATCH_SIZE, copies=MEMBERS))
    return lambda: model.train_function(batches)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
