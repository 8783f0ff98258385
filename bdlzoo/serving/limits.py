"""Limits of what a request may cost, which are judged before anything is computed."""

import dataclasses
import math

import tensorflow as tf

from bdlzoo.serving import image_sizes, wire_fields
from bdlzoo.serving.serving_error import ServingError

# Bytes that Python takes for what begins, or goes on, with a sign of JSON.
_JSON_BYTES = {b"[": 104, b"{": 240, b'"': 40, b":": 72, b",": 32}
_GROWTH = 8  # Times its largest size that a body may take once it is parsed.


@dataclasses.dataclass(frozen=True)
class Limits:
    """Holds the limits of a server.

    Args:
        body_bytes: Integer, largest body of a request, and largest tensor that it may
            stand for.
        rows: Integer, most rows of a request.
        row_draws: Integer, most rows times draws of a request.
        pixels: Integer, most pixels of all images of a request.
        connections: Integer, most connections at once, over each protocol.
        fields: Integer, most fields of a message over gRPC, where each takes memory.
        answers: Integer, most requests that are computed at once.
        answer_bytes: Integer, largest tensor of an answer.
    """

    body_bytes: int = 2**26
    rows: int = 2**14
    row_draws: int = 2**19
    pixels: int = 2**24
    connections: int = 256
    fields: int = 2**17
    answers: int = 16
    answer_bytes: int = 2**27

    def check_fields(self, sent, descriptor):
        """Raises an error if a message takes too much memory; it is not parsed yet.

        Args:
            sent: Bytes of the message.
            descriptor: Its descriptor.
        """
        fields, taken = wire_fields.count(
            sent, descriptor, self.fields, self.body_bytes)
        if fields > self.fields:
            raise _too_large("fields", self.fields, f"more, in {len(sent)} bytes")
        if taken > self.body_bytes:
            raise _too_large("bytes of whole numbers in memory", self.body_bytes,
                             f"{taken}, in {len(sent)} bytes")

    def check_json(self, body):
        """Raises an error if JSON takes too much memory; it is not parsed yet.

        Two bytes are enough for an empty list, which then takes seventy.

        Args:
            body: Bytes of the request.
        """
        # One character beyond the usual ones makes all of its text as wide.
        widest = 1 if body.isascii() and b"\\u" not in body else 4
        size = widest * len(body) + sum(
            body.count(sign) * taken for sign, taken in _JSON_BYTES.items())
        most = _GROWTH * self.body_bytes
        if size > most:
            raise ServingError(
                "RESOURCE_EXHAUSTED", f"Expected JSON of at most {most} bytes in "
                "memory: send fewer rows at once, or use gRPC. Received: about "
                f"{size}, in a body of {len(body)}")

    def check_shape(self, name, shape, item_bytes):
        """Raises an error if a tensor is too large; it need not be there yet.

        Args:
            name: String, name of the input.
            shape: Tuple of integers.
            item_bytes: Integer, size of a value.
        """
        if shape and shape[0] > self.rows:
            raise _too_large("rows", self.rows, f"{shape[0]} in {name}")
        size = math.prod(shape) * item_bytes
        if size > self.body_bytes:
            raise _too_large("bytes in a tensor", self.body_bytes, f"{size} in {name}")

    def check(self, inputs, draws):
        """Raises an error if the tensors of a request ask for too much.

        Args:
            inputs: Dictionary of arrays by name.
            draws: Integer, number of draws of each row.
        """
        for name, tensor in inputs.items():
            self.check_shape(name, tensor.shape, tensor.dtype.itemsize)
        rows = max((tensor.shape[0] for tensor in inputs.values() if tensor.ndim),
                   default=1)
        if rows * draws > self.row_draws:
            raise _too_large("rows times draws", self.row_draws, f"{rows} x {draws}")
        sizes, pixels = {}, 0
        for tensor in inputs.values():
            for file in tensor.flat if tensor.dtype == object else ():
                # One file may stand for many rows.
                if id(file) not in sizes:
                    sizes[id(file)] = image_sizes.pixels(file)
                pixels += sizes[id(file)]
        if pixels > self.pixels:
            raise _too_large("pixels", self.pixels, pixels)

    def check_answer(self, outputs, sizes, draws):
        """Raises an error if a tensor of an answer would be too large.

        Args:
            outputs: Dictionary of `TensorInfo` by name.
            sizes: Tuple of integers, what the request says where its signature leaves
                sizes open: its rows, and others behind them.
            draws: Integer, number of draws of each row.
        """
        for name, info in outputs.items():
            shape = [dim.size for dim in info.tensor_shape.dim]
            known = [size for size in shape if size >= 0]
            told = sizes[:len(shape) - len(known)]
            if len(shape) > len(known) + len(sizes):  # Draws stand before the rows.
                told = (draws, *told)
            size = math.prod([*known, *told]) * tf.as_dtype(info.dtype).size
            if size > self.answer_bytes:
                raise _too_large("bytes in a tensor of the answer", self.answer_bytes,
                                 f"{size} in {name}")


def _too_large(what, most, received):
    return ServingError(
        "INVALID_ARGUMENT", f"Expected at most {most} {what} in a request: send "
        f"several, or raise the limit of the server. Received: {received}")
