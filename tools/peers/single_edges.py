"""The fixed network of `DBSN` as plain Keras layers, one operation for each edge."""

import keras

from tools.peers import dbsn, keras_steps, protocol, training


def prepare(workload, mode, steps):
    fixed = dbsn.model(workload, learn_structure=False, draw_structure=False)
    fixed.build((None, *training.SHAPES[workload]))
    plain = fixed.extract_network(fixed.edge_probabilities())
    plain.compile(
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        **dbsn.arguments(mode, steps))
    return keras_steps.steps_of(plain, workload, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
