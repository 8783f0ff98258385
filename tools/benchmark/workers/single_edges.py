"""The network of `DBSN` as plain Keras layers, one operation for each edge.

Its mixing weights are learnt, like those of a structure, but not drawn.
"""

import keras

from tools.benchmark.workers import dbsn, keras_steps, protocol, training


class MixingWeight(keras.layers.Layer):
    """Multiplies the output of an operation by a learnt weight."""

    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def build(self, input_shape):
        self.weight = self.add_weight(
            name="weight", shape=(),
            initializer=keras.initializers.Constant(self.scale))

    def call(self, inputs):
        return inputs * self.weight


def prepare(workload, mode, steps):
    fixed = dbsn.model(workload, learn_structure=False, draw_structure=False)
    fixed.build((None, *training.SHAPES[workload]))
    plain = keras.models.clone_model(
        fixed.extract_network(fixed.edge_probabilities()), clone_function=_learnt)
    plain.compile(
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        **dbsn.arguments(mode, steps))
    return keras_steps.steps_of(plain, workload, steps)


def _learnt(layer):
    if isinstance(layer, keras.layers.Rescaling):
        return MixingWeight(layer.scale)
    return type(layer).from_config(layer.get_config())


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
