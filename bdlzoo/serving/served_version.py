"""One version of a SavedModel, loaded and run as TF Serving does it.

A session of TensorFlow 1 runs the graph by the names of its tensors, so that requests
succeed or fail as on the real server.
"""

import contextlib
import gc
import pathlib
import threading

import numpy as np
import tensorflow as tf
from absl import logging

from bdlzoo.model.signatures import request_name
from bdlzoo.serving.serving_error import ServingError

DEFAULT = "serving_default"
_MOST_COMPILED = 64  # Sizes of requests for which XLA has compiled; each takes MBs.


class ServedVersion:
    """Answers requests to the signatures of a SavedModel, also from many threads.

    Args:
        path: Folder of the version.
    """

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.default_draws = 1  # Of requests that do not say a number.
        self._lock = threading.Lock()
        self._load()

    def _load(self):
        graph = tf.Graph()
        with graph.as_default(), _without_warnings():
            session = tf.compat.v1.Session(graph=graph)
            try:
                loaded = tf.compat.v1.saved_model.load(
                    session, [tf.saved_model.SERVING], str(self.path))
            except BaseException:
                session.close()
                raise
        self.signatures = dict(loaded.signature_def)
        self._session, self._functions, self._sizes = session, {}, set()
        self._is_compiled = any(
            function.attr["_XlaMustCompile"].b
            for function in graph.as_graph_def().library.function)

    def signature(self, name=""):
        """`SignatureDef` of a name; an empty name is the default signature."""
        name = name or DEFAULT
        if name not in self.signatures:
            raise ServingError("FAILED_PRECONDITION",
                               f'Serving signature key "{name}" not found.')
        # SavedModels keep what prepares them among the signatures, without a tensor.
        if any(info.dtype == 0 for info in self.signatures[name].outputs.values()):
            raise ServingError("INVALID_ARGUMENT", "Expected a signature that answers "
                               f"with tensors. Received: {name}")
        return self.signatures[name]

    def run(self, inputs, signature="", outputs=()):
        """Answers one request.

        Args:
            inputs: Dictionary of arrays by name.
            signature: String, name of the signature; the default if empty.
            outputs: Names of the outputs to compute; all of them if empty.

        Returns:
            Dictionary of arrays by name.
        """
        known = self.signature(signature)
        self.check_names(inputs, known.inputs)
        _check_inputs(inputs, known.inputs)
        names = tuple(outputs) or tuple(sorted(known.outputs))
        if not set(names) <= set(known.outputs) or len(set(names)) < len(names):
            raise ServingError(
                "INVALID_ARGUMENT", "Expected different names among the outputs "
                f"{sorted(known.outputs)}. Received: {list(names)}")
        function = self._function(signature or DEFAULT, inputs)
        try:
            values = function(*[inputs[name] for name in sorted(known.inputs)])
        except tf.errors.OpError as error:
            raise ServingError.of_tensorflow(error) from error
        found = dict(zip(sorted(known.outputs), values, strict=True))
        return {name: found[name] for name in names}

    def draws(self, inputs):
        """Number of draws that a request asks for.

        Args:
            inputs: Dictionary of arrays by name.
        """
        rows = self.signatures[DEFAULT].inputs if DEFAULT in self.signatures else ()
        asked = inputs.get(request_name("num_samples", rows))
        if asked is None or asked.shape != (1,) or asked.dtype.kind not in "iu":
            return self.default_draws
        return max(1, int(asked[0]))

    def open_sizes(self, inputs, signature=""):
        """Sizes of a request where its signature leaves them open, the rows first.

        Args:
            inputs: Dictionary of arrays by name.
            signature: String, name of the signature; the default if empty.
        """
        expected = self.signature(signature).inputs
        found = [tuple(size for size, dim in zip(
            tensor.shape, expected[name].tensor_shape.dim) if dim.size < 0)
            for name, tensor in inputs.items() if name in expected]
        return max(found, key=lambda sizes: (len(sizes), sizes), default=())

    @staticmethod
    def check_names(inputs, expected):
        """Raises an error if a request does not have the inputs of a signature."""
        if set(inputs) != set(expected):
            raise ServingError(
                "INVALID_ARGUMENT", "Expected the inputs "
                f"{sorted(expected)}. Received: {sorted(inputs)}")

    def _function(self, signature, inputs):
        """Function from arrays to arrays, made once for a signature.

        It computes all outputs, also where a request wants some of them: a function
        for each choice and order of outputs would fill the memory.
        """
        with self._lock:
            if self._is_compiled:
                size = signature, _size(inputs)
                if len(self._sizes - {size}) >= _MOST_COMPILED:
                    self._forget_compiled()
                self._sizes.add(size)
            if signature not in self._functions:
                known = self.signatures[signature]
                self._functions[signature] = self._session.make_callable(
                    [known.outputs[name].name for name in sorted(known.outputs)],
                    [known.inputs[name].name for name in sorted(known.inputs)])
            return self._functions[signature]


    def _forget_compiled(self):
        """Begins a new session, since what XLA has compiled ends with its session.

        Requests that are being answered keep the old one until they end.
        """
        try:
            self._load()
        except Exception as error:  # The files may be those of another version now.
            logging.warning("%s was not loaded again: %s", self.path, error)
            self._sizes = set()
        gc.collect()  # Graphs hold themselves.


def _size(inputs):
    """What XLA compiles for: shapes, and numbers such as that of draws."""
    return tuple((name, tensor.shape, int(tensor[0]) if tensor.shape == (1,) and (
        tensor.dtype.kind in "iu") else 0) for name, tensor in sorted(inputs.items()))


@contextlib.contextmanager
def _without_warnings():
    """Hides the warnings of the loader, which is deprecated."""
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel("ERROR")
    try:
        yield
    finally:
        logger.setLevel(level)


def _check_inputs(inputs, expected):
    """Raises an error if tensors do not fit a signature."""
    for name, tensor in inputs.items():
        dtype, received = expected[name].dtype, tf.as_dtype(tensor.dtype)
        if tf.as_dtype(dtype) != received:
            raise ServingError(
                "INVALID_ARGUMENT", f"Expected {tf.as_dtype(dtype).name} in input "
                f"{name}. Received: {received.name}")
        shape = tf.TensorShape(expected[name].tensor_shape)
        if not shape.is_compatible_with(np.shape(tensor)):
            raise ServingError(
                "INVALID_ARGUMENT", f"Expected input {name} in the shape {shape}. "
                f"Received: shape={np.shape(tensor)}")
