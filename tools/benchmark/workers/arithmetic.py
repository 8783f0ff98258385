"""Counts of operations in the graph of a training step.

    product of matrices    2 * entries of the result * terms of each
    convolution            2 * entries of the outputs * weights behind each
    its gradients          as many as the convolution, each
    random words           entries that Philox draws

Operations that no output depends on are left out, as TensorFlow does it. Of two
branches the more expensive one counts. A loop counts as often as it runs if the graph
says so, else once. Operations of unknown shape are counted as unknown.
"""

import math

import tensorflow as tf

from tools.benchmark.workers import keras_steps, training

_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_BRANCHES = ("If", "StatelessIf")
_LOOPS = ("While", "StatelessWhile")
_WORDS = ("StatelessRandomUniformFullIntV2", "StatelessRandomUniformFullInt")


def of_step(model, workload):
    """Billions of operations and millions of random words of a training step.

    Args:
        model: Compiled and built Keras model.
        workload: Name of the task whose batches it is trained on.
    """
    batches = training.batches(workload)
    if "unlabelled" in getattr(model, "side_data", ()):
        *_, batches = keras_steps.half_labelled(model, *batches)
    specs = tf.nest.map_structure(
        lambda part: tf.TensorSpec(part.shape[1:], part.dtype), batches)
    step = tf.function(lambda data: model.train_step(data), autograph=False)
    return of_graph(step.get_concrete_function(specs).graph)


def of_graph(graph):
    """The same for a graph that was traced with fixed shapes."""
    operations, words, unknown = _count(graph, _functions(graph))
    return {"GFLOP": operations / 1e9, "million random words": words / 1e6,
            **({"of unknown shape": unknown} if unknown else {})}


def _functions(graph):
    """Functions that a graph calls, by name; those of the graph around it too."""
    found = {}
    while graph is not None:
        found = {**graph._functions, **found}
        graph = getattr(graph, "outer_graph", None)
    return found


def _needed(graph):
    """Operations that outputs and effects depend on."""
    found, left = set(), [*(t.op for t in graph.outputs), *graph.control_outputs]
    while left:
        op = left.pop()
        if op not in found:
            found.add(op)
            left += [*(t.op for t in op.inputs), *op.control_inputs]
    return found


def _count(graph, functions, known=None):
    """Operations, words, and how many are of unknown shape.

    Args:
        graph: Graph of a function.
        functions: Functions that it may call, by name.
        known: Dictionary, identity of an argument to the number that it is given.
    """
    known = known or {}

    def called(op, attribute):
        """The graph of a function, and its inputs."""
        inner = functions[op.get_attr(attribute).name].graph
        given = op.inputs[-len(inner.inputs):]  # A branch has its index in front.
        return inner, {id(argument): _value(tensor, known)
                       for argument, tensor in zip(inner.inputs, given)}

    def inside(op, attribute):
        inner, given = called(op, attribute)
        return _count(inner, {**functions, **_functions(inner)}, given)

    found = [(0, 0, 0)]
    for op in _needed(graph):
        try:
            if op.type in _CALLS:
                found.append(inside(op, "f"))
            elif op.type in _LOOPS:
                rounds = _rounds(*called(op, "cond"))
                found.append(tuple(rounds * part for part in inside(op, "body")))
            elif op.type in _BRANCHES:
                found.append(max(inside(op, "then_branch"), inside(op, "else_branch")))
            elif op.type in _WORDS:
                found.append((0, _size(op.outputs[0]), 0))
            elif op.type in _RULES:
                found.append((2 * _RULES[op.type](op), 0, 0))
        except TypeError:  # A product with `None`.
            found.append((0, 0, 1))
    return tuple(map(sum, zip(*found)))


def _rounds(condition, known):
    """Rounds of a loop that counts by ones to a known number; 1 for other loops."""
    [test] = condition.outputs
    while test.op.type == "Identity":
        [test] = test.op.inputs
    if test.op.type != "Less":
        return 1
    first, limit = (_value(side, known) for side in test.op.inputs)
    return 1 if first is None or limit is None else max(0, int(limit - first))


def _value(tensor, known):
    """The value of a constant tensor; `None` for others."""
    return known.get(id(tensor), tf.get_static_value(tensor))


def _size(tensor, axes=slice(None)):
    return math.prod(tensor.shape.as_list()[axes])


def _product(op):
    """Multiplications of a product of matrices, or of a batch of them."""
    flag = "transpose_a" if op.type == "MatMul" else "adj_x"
    terms = op.inputs[0].shape[-2 if op.get_attr(flag) else -1]
    return _size(op.outputs[0]) * terms


def _einsum(op):
    """Product of the sizes of all letters of an einsum."""
    inputs = op.get_attr("equation").decode().split("->")[0].split(",")
    sizes = {}
    for letters, tensor in zip(inputs, op.inputs, strict=True):
        sizes.update(zip(letters.replace("...", ""), tensor.shape.as_list()[
            -len(letters.replace("...", "")):]))
    return math.prod(sizes.values()) if len(inputs) > 1 else 0


def _convolution(outputs, kernel):
    """`outputs` and `kernel` are functions that find the tensors of an operation."""
    return lambda op: _size(outputs(op)) * _size(kernel(op), slice(-1))


def _depthwise(outputs, kernel):
    return lambda op: _size(outputs(op)) * _size(kernel(op), slice(2))


def _of(place):
    return lambda op: op.inputs[place]


def _result(op):
    return op.outputs[0]


_RULES = {
    "MatMul": _product, "BatchMatMul": _product, "BatchMatMulV2": _product,
    "BatchMatMulV3": _product, "Einsum": _einsum,
    "Conv2D": _convolution(_result, _of(1)),
    "Conv2DBackpropInput": _convolution(_of(2), _of(1)),
    "Conv2DBackpropFilter": _convolution(_of(2), _result),
    "DepthwiseConv2dNative": _depthwise(_result, _of(1)),
    "DepthwiseConv2dNativeBackpropInput": _depthwise(_of(2), _of(1)),
    "DepthwiseConv2dNativeBackpropFilter": _depthwise(_of(2), _result),
}
