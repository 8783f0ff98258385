"""Graphs without variables and without random numbers, for other formats.

    tensors that do not depend on the inputs -> constants

Weights, masks and drawn weights become constants, so that what is left is arithmetic of
the inputs. TensorFlow computes the constants once, by the operations that it would use
in a prediction: the numbers are those of the model.
"""

import typing

import tensorflow as tf

# Converters of TensorFlow use it too; it has no public name.
from tensorflow.python.framework.convert_to_constants import (
    convert_variables_to_constants_v2_as_graph as _frozen,
)

from bdlzoo.core import written_out

_LARGEST = 2**31 - 2**20  # Bytes; protocol buffers have at most 2 GiB.


class ConstantGraph(typing.NamedTuple):
    """A graph whose only variables are its inputs."""

    definition: tf.compat.v1.GraphDef
    inputs: dict  # From the name of an input to that of its tensor.
    outputs: dict  # From the name of an output to that of its tensor.

    def __repr__(self):  # TensorFlow prints it where it traces a method.
        return (f"ConstantGraph(inputs={list(self.inputs)}, "
                f"outputs={list(self.outputs)})")

    def run(self, *inputs):
        """Outputs by name, for inputs in the order of their names."""
        places = dict(zip(self.inputs.values(), inputs, strict=True))
        found = tf.graph_util.import_graph_def(
            self.definition, input_map=places, name="",
            return_elements=list(self.outputs.values()))
        return dict(zip(self.outputs, found))


def constant_graph(function, specs):
    """Makes the graph of a function.

    Args:
        function: Function of tensors that returns a dictionary of tensors. Its draws
            are written out.
        specs: List of `tf.TensorSpec`, one for each tensor, with names.

    Returns:
        `ConstantGraph`.

    Raises:
        ValueError: If random numbers are left that depend on the inputs, or if the
            constants are too large for a file.
    """
    names = []

    def flat(*inputs):
        found = function(*inputs)
        names[:] = found
        return list(found.values())

    with written_out.writing_out():
        traced = tf.function(flat).get_concrete_function(*[
            tf.TensorSpec(spec.shape, spec.dtype, f"input_{place}")
            for place, spec in enumerate(specs)])
    frozen, definition = _frozen(
        traced, lower_control_flow=False, aggressive_inlining=True)
    for node in definition.node:  # Checks, which other formats do not have.
        node.input[:] = [name for name in node.input if not name.startswith("^")]
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    inputs = {spec.name: t.name for spec, t in zip(specs, frozen.inputs, strict=True)}
    outputs = dict(zip(names, (t.name for t in frozen.outputs), strict=True))
    return _without_constants(graph, inputs, outputs)


def _without_constants(graph, inputs, outputs):
    """The part of a graph that depends on inputs, and constants for all the rest."""
    results = [graph.get_tensor_by_name(name) for name in outputs.values()]
    kept = _kept(graph, results)
    read = {t.ref(): t for op in kept for t in op.inputs} | {
        t.ref(): t for t in results}
    held = set(kept)
    fixed = [t for t in read.values() if t.op not in held]
    made = tf.compat.v1.GraphDef(versions=graph.as_graph_def().versions)
    places = _add_constants(made, graph, fixed)
    for op in kept:
        node = made.node.add()
        node.CopyFrom(op.node_def)
        node.input[:] = [places.get(t.ref(), t.name) for t in op.inputs]
        if node.op == "EnsureShape":  # Another check.
            node.op = "Identity"
            del node.attr["shape"]
    _add_functions(made, graph)
    _check_fixed(made)
    if made.ByteSize() > _LARGEST:
        raise ValueError(
            "Expected a file of at most 2 GiB: give a smaller `num_samples`, since "
            "each draw has constants of its own. Received: "
            f"{made.ByteSize() / 2**30:.1f} GiB")
    return ConstantGraph(made, inputs, {
        name: places.get(t.ref(), t.name) for name, t in zip(outputs, results)})


def _kept(graph, results):
    """Operations that the results need and that constants cannot replace, in order."""
    every, varying, wanted = graph.get_operations(), set(), {t.op for t in results}
    for op in every:  # Inputs come before what reads them.
        if op.type == "Placeholder" or any(t.op in varying for t in op.inputs):
            varying.add(op)
    kept = {op for op in every if op.type == "Placeholder"}  # Also if nothing reads it.
    for op in reversed(every):
        if op in wanted and op in varying:
            kept.add(op)
        if op in kept:
            wanted.update(t.op for t in op.inputs)
            # A list of tensors has no value that could be kept.
            kept.update(t.op for t in op.inputs if t.dtype == tf.variant)
    return [op for op in every if op in kept]


def _add_constants(made, graph, tensors):
    """Adds the values of tensors, equal ones once; returns their names."""
    with tf.compat.v1.Session(graph=graph) as session:
        values = session.run(tensors)
    names, places = {}, {}
    for tensor, value in zip(tensors, values):
        proto = tf.make_tensor_proto(value, tensor.dtype)
        content = proto.SerializeToString()
        if content not in names:
            names[content] = f"bdlzoo_constant_{len(names)}"
            node = made.node.add(op="Const", name=names[content])
            node.attr["dtype"].type = tensor.dtype.as_datatype_enum
            node.attr["value"].tensor.CopyFrom(proto)
        places[tensor.ref()] = f"{names[content]}:0"
    return places


def _add_functions(made, graph):
    """Adds the bodies of loops and branches that are left."""
    library = {f.signature.name: f for f in graph.as_graph_def().library.function}
    found, nodes = {}, list(made.node)
    while nodes:
        for value in nodes.pop().attr.values():
            for function in (value.func, *value.list.func):
                if function.name and function.name not in found:
                    found[function.name] = library[function.name]
                    nodes.extend(library[function.name].node_def)
    made.library.function.extend(found.values())


def _check_fixed(made):
    nodes = [*made.node, *(node for f in made.library.function for node in f.node_def)]
    noise = [node.name for node in nodes if "Random" in node.op]
    if noise:
        raise ValueError(
            "Expected draws that do not depend on the inputs, which can be fixed: "
            "export as `format=\"tf_saved_model\"`. Received: random numbers in "
            f"{', '.join(noise[:3])}")
