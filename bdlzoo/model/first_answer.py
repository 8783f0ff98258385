"""Asks a model once before it is published.

A model with wrong weights may answer with NaN, or with numbers so large that they are
infinite. A server would hand them out as an answer like any other.
"""

import numpy as np
import tensorflow as tf


def check(function, specs, rows=1):
    """Raises where the answer to a blank request is not finite.

    Args:
        function: Function of a signature, which returns a tensor or a structure.
        specs: List of the specs of its arguments.
        rows: Integer, rows of the request.

    Raises:
        FloatingPointError: If the answer has NaN, or only infinite numbers.
    """
    request = tf.nest.map_structure(lambda spec: _blank(spec, rows), specs)
    texts = any(part.dtype == tf.string for part in tf.nest.flatten(request))
    try:
        answer = function(*request)
    except tf.errors.InvalidArgumentError:
        if texts:  # No blank text is an image, or a record.
            return
        raise
    named = answer if isinstance(answer, dict) else {"answer": answer}
    wrong = sorted(name for name, part in named.items()
                   for tensor in tf.nest.flatten(part) if _is_wrong(tensor))
    if wrong:
        raise FloatingPointError(
            "Expected finite answers of a model that is to be published: train it "
            "again with a lower learning rate, or look at the scale of its inputs. "
            f"Received: NaN or infinity in {', '.join(wrong)}, for a request of zeros")


def _blank(spec, rows):
    shape = [rows if axis == 0 and size is None else size or 1
             for axis, size in enumerate(spec.shape)]
    if spec.dtype == tf.string:
        return tf.fill(shape, "")
    # One draw is the fewest.
    count = tf.ones if (spec.name or "").endswith("num_samples") else tf.zeros
    return count(shape, spec.dtype)


def _is_wrong(tensor):
    # Ends of intervals and quantiles may be infinite, but never all numbers.
    if not tensor.dtype.is_floating:
        return False
    values = np.asarray(tensor)
    return bool(np.isnan(values).any() or np.isinf(values).all())
