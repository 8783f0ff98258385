"""Warm-up: requests that a server runs before it answers clients.

The first request optimises or compiles the graph, which takes seconds. TF Serving runs
the requests of `assets.extra/tf_serving_warmup_requests` when it loads a version. If
one of them fails, the version is not served.
"""

import pathlib

import numpy as np
import tensorflow as tf

from bdlzoo.model.signatures import request_name

FILE = pathlib.Path("assets.extra", "tf_serving_warmup_requests")
_FIRST_SIZES = (1,)
_DEFAULT = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY


def requests(signatures, num_samples, rows=None, batch_sizes=_FIRST_SIZES):
    """Makes a request to each signature, for each size of a batch.

    Args:
        signatures: Dictionary of `SignatureDef` by name.
        num_samples: Integer, number of draws of a request.
        rows: Dictionary of input arrays by name; `None` takes zeros.
        batch_sizes: Tuple of integers, sizes of batches.

    Returns:
        List of pairs, name of the signature and dictionary of arrays.
    """
    words = {"num_samples": np.array([num_samples], "int32"),
             "seed": np.zeros([1, 2], "int32")}
    inputs = next((signature.inputs for name, signature in signatures.items()
                   if name == _DEFAULT), ())
    fixed = {request_name(word, inputs): value for word, value in words.items()}
    return [(name, {key: fixed[key] if key in fixed else _rows(
        key, info, rows, size) for key, info in signature.inputs.items()})
        for name, signature in sorted(signatures.items()) if signature.inputs
        for size in batch_sizes]


def _rows(name, info, rows, size):
    dtype = tf.as_dtype(info.dtype)
    if rows is not None and name in rows:
        return np.resize(rows[name], (size, *np.shape(rows[name])[1:]))
    shape = [dim.size if dim.size > 0 else 1 for dim in info.tensor_shape.dim[1:]]
    if dtype == tf.string:  # An image of one pixel.
        image = tf.io.encode_png(tf.zeros([1, 1, 1], tf.uint8)).numpy()
        return np.full([size, *shape], image, dtype=object)
    return np.zeros([size, *shape], dtype.as_numpy_dtype)


def write(folder, asked):
    """Writes requests into a version, in the format of TF Serving.

    Args:
        folder: Folder of the version.
        asked: List of requests that `requests` returned.
    """
    from bdlzoo.serving import apis

    path = pathlib.Path(folder, FILE)
    path.parent.mkdir(exist_ok=True)
    with tf.io.TFRecordWriter(str(path)) as file:
        for signature, inputs in asked:
            log = apis.prediction_log_pb2.PredictionLog()
            request = log.predict_log.request
            # The server fills in the name of the model.
            request.model_spec.signature_name = signature
            for name, tensor in inputs.items():
                request.inputs[name].CopyFrom(tf.make_tensor_proto(tensor))
            file.write(log.SerializeToString())


def read(folder):
    """Reads the requests of a version.

    Args:
        folder: Folder of the version.

    Returns:
        List of pairs, name of the signature and dictionary of arrays; empty if there
        is no warm-up.
    """
    path = pathlib.Path(folder, FILE)
    if not path.exists():
        return []
    from bdlzoo.serving import apis

    asked = []
    for record in tf.data.TFRecordDataset(str(path)).as_numpy_iterator():
        request = apis.prediction_log_pb2.PredictionLog.FromString(
            record).predict_log.request
        asked.append((request.model_spec.signature_name, {
            name: tf.make_ndarray(tensor)
            for name, tensor in request.inputs.items()}))
    return asked


def replay(version):
    """Sends the requests in the folder of a `ServedVersion` to it."""
    asked = read(version.path)
    for signature, inputs in asked:
        version.run(inputs, signature)
    # The count in these requests is that of the model.
    version.default_draws = max((version.draws(inputs) for _, inputs in asked),
                                default=1)
