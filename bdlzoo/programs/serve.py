r"""Serves exported models on this machine, in the protocol of TF Serving.

    bdlzoo serve --model_base_path=served/digits

This server is for development: clients that work with it work with TF Serving. The page
at http://127.0.0.1:8501/ takes an image or a row and shows the answer. New versions are
served when they appear. Flags have the names of those of `tensorflow_model_server`.
"""

import pathlib
import signal
import threading

from absl import flags

from bdlzoo.programs import console
from bdlzoo.serving import server_files
from bdlzoo.serving.grpc_server import GRPCServer
from bdlzoo.serving.model_server import ModelServer
from bdlzoo.serving.rest_server import RESTServer

_BASE_PATH = flags.DEFINE_list(
    "model_base_path", None, "Folders of served models, with commas between.")
_NAME = flags.DEFINE_string(
    "model_name", None, "Name of the model. [the name of its folder]")
_PORT = flags.DEFINE_integer("port", 8500, "Port of gRPC; 0 takes a free one.")
_REST_PORT = flags.DEFINE_integer(
    "rest_api_port", 8501, "Port of REST and of the page; 0 takes a free one.")
_BATCHING = flags.DEFINE_string(
    "batching_parameters_file", None,
    "Refuse requests that a server with these batching parameters would refuse.")
_POLL = flags.DEFINE_float(
    "file_system_poll_wait_seconds", 1.0, "Seconds between searches for versions.")
console.required(model_base_path="served/digits")


def main(argv):
    del argv
    with console.explained():
        models = ModelServer(_models(), _max_batch_size(), _POLL.value)
        models.start()
        rest, grpc = RESTServer(models, _REST_PORT.value), GRPCServer(
            models, _PORT.value)
    end = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        # Set here, because a shell lets jobs in the background ignore SIGINT.
        signal.signal(number, lambda *_: end.set())
    rest.start()
    grpc.start()
    print(f"Serving {', '.join(models.folders)}: page and REST at "
          f"http://127.0.0.1:{rest.port}/, gRPC at 127.0.0.1:{grpc.port}; "
          "stop with Ctrl-C", flush=True)
    end.wait()
    grpc.stop()
    rest.stop()
    models.stop()


def _models():
    folders = [pathlib.Path(path).resolve() for path in _BASE_PATH.value]
    if _NAME.value is None:
        names = [folder.name for folder in folders]
    elif len(folders) == 1:
        names = [_NAME.value]
    else:
        raise ValueError("Expected --model_name with one model only. Received: "
                         f"--model_base_path={','.join(_BASE_PATH.value)}")
    if len(set(names)) < len(names):
        raise ValueError("Expected folders with different names. Received: "
                         f"{', '.join(names)}")
    return dict(zip(names, folders))


def _max_batch_size():
    return None if _BATCHING.value is None else server_files.max_batch_size(
        _BATCHING.value)
