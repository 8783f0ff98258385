"""Exports a model with the files that servers need, and tests it first.

    served/digits/models.config
    served/digits/batching.config
    served/digits/3/saved_model.pb, variables/
    served/digits/3/assets.extra/tf_serving_warmup_requests

The version is loaded in the same way as on a server, and answers the requests of its
warm-up. A version that cannot answer is not published.
"""

import importlib.util
import pathlib
import typing

from absl import logging

from bdlzoo.serving import server_files, warm_up
from bdlzoo.serving.latency import latency
from bdlzoo.serving.served_version import DEFAULT, ServedVersion


class Publication(typing.NamedTuple):
    """A version that was published."""

    path: pathlib.Path
    size: int  # Bytes.
    latency: dict  # From the size of a batch to milliseconds.
    warm_up: bool  # Whether it contains warm-up requests.


def publish(model, path, rows=None, batch_sizes=(1, 32), **options):
    """Publishes the next version of a model.

    Args:
        model: Built `PredictiveModel`.
        path: Folder of the served model. The name of the folder is the name of the
            model.
        rows: Dictionary of arrays by name, inputs of the warm-up requests; `None`
            takes zeros.
        batch_sizes: Tuple of integers, sizes of the batches to warm up and to time.
        **options: Arguments of the `export` of the model.

    Returns:
        `Publication`.
    """
    found, with_apis = {}, importlib.util.find_spec("tensorflow_serving") is not None

    def finish(folder):
        version = ServedVersion(folder)
        asked = warm_up.requests(version.signatures, model.num_samples, rows,
                                 batch_sizes)
        if with_apis:
            warm_up.write(folder, asked)
        for signature, inputs in asked:
            version.run(inputs, signature)
        found.update(zip(batch_sizes, (
            latency(version, inputs, signature) for signature, inputs in asked
            if signature == DEFAULT)))

    version = model.export(path, finish=finish, **options)
    if with_apis:
        server_files.write(path)
    else:
        logging.warning("The warm-up and the files of the server were not written: "
                        "install `bdlzoo[serving]` for them.")
    size = sum(p.stat().st_size for p in version.rglob("*") if p.is_file())
    return Publication(version, size, found, with_apis)
