"""Batches of a dataset after a check, in the thread that asks for them.

    is_sure(batch)         operations of TensorFlow, for every batch
    look(batch, place)     a Python function, where these are not sure

`Dataset.map` and `tf.cond` give their parts to a pool of threads, which takes longer
than the check of a small batch. So two raw operations are used here: a map that
computes its function where it is called and, in the place of a branch, a map over the
rows of a tensor that has one row or none.
"""

import functools

import tensorflow as tf


class GuardedDataset(tf.data.Dataset):
    """The batches of a dataset, each after a check.

    Args:
        dataset: `tf.data.Dataset` of tensors in any structure, which may hold `None`.
        is_sure: Function of a batch of tensors that returns a scalar bool tensor.
        look: Function of a batch of arrays and its place, an integer. It raises an
            error where something is wrong. TensorFlow never lets go of it.
    """

    def __init__(self, dataset, is_sure, look):
        self._numbered, self._spec = dataset.enumerate(), dataset.element_spec
        packed = functools.partial(_packed, self._spec)
        specs = [spec for spec in tf.nest.flatten(self._numbered.element_spec)
                 if isinstance(spec, tf.TensorSpec)]

        def watch(place, *parts):
            done = _only_if(~is_sure(packed(parts)), lambda place, *arrays: look(
                packed(arrays), int(place)), [place, *parts], specs)
            with tf.control_dependencies([done]):
                return [tf.identity(part) for part in parts]

        # Must live as long as the dataset.
        self._watch = tf.function(
            watch, input_signature=specs, autograph=False).get_concrete_function()
        super().__init__(tf.raw_ops.MapDataset(
            input_dataset=tf.data.experimental.to_variant(self._numbered),
            other_arguments=self._watch.captured_inputs, f=self._watch,
            output_types=[spec.dtype for spec in specs[1:]],
            output_shapes=[spec.shape for spec in specs[1:]],
            use_inter_op_parallelism=_has_branches(self._watch),
            preserve_cardinality=True,
            # Otherwise TensorFlow may turn it into a map with threads of its own.
            force_synchronous=True))

    def _inputs(self):
        return [self._numbered]

    @property
    def element_spec(self):
        return self._spec


def _has_branches(function):
    """Whether a function has branches or loops, which need a pool of threads."""
    graph = function.graph.as_graph_def()
    return any(node.op.removeprefix("Stateless") in ("If", "Case", "While")
               for part in (graph.node, *(f.node_def for f in graph.library.function))
               for node in part)


def _packed(spec, parts):
    """A batch from its tensors, or arrays, in order."""
    parts = iter(parts)
    return tf.nest.map_structure(lambda spec: next(parts) if isinstance(
        spec, tf.TensorSpec) else None, spec)


def _only_if(condition, function, parts, specs):
    """An operation that calls a Python function of tensors if a condition holds."""
    def call(*arrays):
        function(*arrays)
        return True

    @tf.function(input_signature=[tf.TensorSpec([], tf.bool), *specs], autograph=False)
    def row(one, *parts):
        del one
        return tf.ensure_shape(tf.numpy_function(call, parts, tf.bool), [])

    [done] = tf.raw_ops.MapDefun(
        arguments=[tf.fill([tf.cast(condition, tf.int32)], True)],
        captured_inputs=parts, f=row.get_concrete_function(), output_types=[tf.bool],
        output_shapes=[[]])
    # TensorFlow drops operations that nothing depends on, but no assertion.
    return tf.raw_ops.Assert(condition=tf.reduce_all(done), data=[condition])
