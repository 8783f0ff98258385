"""Files for the start of TF Serving, written beside the versions of a model.

    models.config      the model, and its folder inside of the container
    batching.config    how many requests become one batch, and how long they wait

Existing files are not overwritten, so that users can change them.
"""

import pathlib
import re

from google.protobuf import text_format

MODELS, BATCHING = "models.config", "batching.config"
BATCH_SIZES = (1, 8, 32, 128)
_BATCHING = """# For --enable_batching --batching_parameters_file=...; clients can then
# use only the signature serving_default: others have one seed for all rows.
max_batch_size {{ value: {largest} }}
batch_timeout_micros {{ value: 2000 }}
max_enqueued_batches {{ value: 100 }}
num_batch_threads {{ value: 2 }}
{sizes}
"""


def write(folder, name=None, batch_sizes=BATCH_SIZES):
    """Writes the files that are missing.

    Args:
        folder: Folder of the served model.
        name: String, name of the model; `None` takes the name of the folder.
        batch_sizes: Tuple of integers in rising order: batches are padded to one
            of these sizes.
    """
    folder = pathlib.Path(folder).resolve()
    texts = {BATCHING: _BATCHING.format(largest=batch_sizes[-1], sizes="\n".join(
        f"allowed_batch_sizes: {size}" for size in batch_sizes)),
        MODELS: _models(name or folder.name)}
    for file, text in texts.items():
        if not (folder / file).exists():
            (folder / file).write_text(text)


def _models(name):
    from bdlzoo.serving import apis

    config = apis.model_server_config_pb2.ModelServerConfig()
    config.model_config_list.config.add(
        name=name, base_path=f"/models/{name}", model_platform="tensorflow")
    return text_format.MessageToString(config)


def max_batch_size(path):
    """Largest batch that a file of batching parameters allows.

    Args:
        path: Path of the file, such as `batching.config`.
    """
    found = re.search(r"^\s*max_batch_size\s*:?\s*{\s*value\s*:\s*(\d+)\s*}",
                      pathlib.Path(path).read_text(), re.M)
    if found is None:
        raise ValueError("Expected batching parameters of TF Serving, with "
                         f"`max_batch_size {{ value: 128 }}`. Received: {path}")
    return int(found[1])
