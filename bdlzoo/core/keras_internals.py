"""All that the zoo touches of Keras' private parts, in one place.

Written for Keras 3.14 and 3.15; `tests/core/test_keras_internals.py` names the
versions and fails first where an update moves one of these.
"""

import contextlib

import keras
import tensorflow as tf

# Attributes in which Keras and TensorFlow keep lists of all that a layer holds.
_STORES = ("_layers", "_operations", "_functional", "_metrics", "_losses")


def layers(network):
    """All layers of a network, nested ones too, always in the same order."""
    return list(network._flatten_layers())


def sublayers(layer):
    """Layers directly inside of a layer; an operation has none."""
    return list(getattr(layer, "_layers", ()))


def attributes(layer):
    """Names and values of the attributes that a layer was given."""
    return [(name, value) for name, value in vars(layer).items()
            if name not in _STORES and not name.startswith("_self_")]


def own_variables(layer):
    """Variables that a layer holds itself, not through layers inside of it."""
    return [*layer._trainable_variables, *layer._non_trainable_variables]


@contextlib.contextmanager
def open_state(layer, old):
    """Lets a built layer take another layer in the place of `old`."""
    locked = layer._tracker.locked
    layer._tracker.unlock()
    layer._tracker.untrack(old)
    try:
        yield
    finally:
        if locked:
            layer._tracker.lock()


def mask_of(tensor):
    """Keras' mask of a tensor, which marks padding; `None` if there is none."""
    return getattr(tensor, "_keras_mask", None)


def draws_by_itself(layer):
    """Whether a layer holds a random generator of Keras."""
    return bool(getattr(layer, "_seed_generators", None))


def graph(network):
    """The functional model behind a network, `None` for a subclassed one."""
    if isinstance(network, keras.Sequential):
        network = network._functional
    # A subclass of `keras.Model` that only defines `call` has no nodes.
    return network if hasattr(network, "_nodes_by_depth") else None


def nodes(functional):
    """Calls of layers inside a functional model, each after its inputs."""
    by_depth = functional._nodes_by_depth
    for depth in sorted(by_depth, reverse=True):
        for node in by_depth[depth]:
            if node.operation and not node.is_input:
                yield node


def takes_training(layer):
    """Whether a call may be told that it is training: operations may not."""
    return "training" in getattr(layer, "_call_context_args", {})


def standardize(functional, inputs):
    """Inputs as Keras would hand them to the first layers: a flat list."""
    return functional._standardize_inputs(inputs)


def input_structure(functional):
    """Symbolic inputs in the structure that a functional model takes."""
    return functional._inputs_struct


def repeated(tensor, count):
    """A batch several times, one after another, with its mask."""
    tall, mask = tf.concat([tensor] * count, axis=0), mask_of(tensor)
    if mask is not None:
        tall._keras_mask = tf.concat([mask] * count, axis=0)
    return tall


def schedule(optimizer):
    """Schedule of the learning rate, `None` where it is a number."""
    rate = optimizer._learning_rate
    is_schedule = isinstance(
        rate, keras.optimizers.schedules.LearningRateSchedule)
    return rate if is_schedule else None


class RunsOnReplicas:
    """Makes `fit` work, and its logs right, on several replicas.

    Keras builds from the mean of the first batch over all replicas, which no
    strategy of several workers can give (keras-team/keras#20585); one local
    batch has the same shape.
    """

    def _get_metrics_result_or_logs(self, logs):
        """Logs of an epoch, from what all replicas have counted together.

        A step returns the metrics of its replicas, or their mean, which is not
        the metric of all rows where a replica had fewer, or for a metric that is
        no mean.
        """
        if self.distribute_strategy.num_replicas_in_sync == 1:
            return super()._get_metrics_result_or_logs(logs)
        found = self.get_metrics_result()
        return {name: found.get(name, value) for name, value in logs.items()}

    def _maybe_symbolic_build(self, iterator=None, data_batch=None):
        if self._distribute_strategy is None:
            return
        strategy = self.distribute_strategy
        if iterator is not None:
            data_batch = next(next(batches) for *_, batches in iterator)
            data_batch = keras.tree.map_structure(
                lambda t: strategy.experimental_local_results(t)[0], data_batch)
        with strategy.scope():
            self._symbolic_build(data_batch=data_batch)
