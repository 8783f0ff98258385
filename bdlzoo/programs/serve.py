r"""Serves exported models on this machine, in the protocol of TF Serving.

    bdlzoo serve --model_base_path=served/digits

This server is for development: clients that work with it work with TF Serving. The page
at http://127.0.0.1:8501/ takes an image or a row and shows the answer. New versions are
served when they appear. Flags have the names of those of `tensorflow_model_server`
where it has them. After Ctrl-C or SIGTERM the server answers what it has accepted; a
second signal ends it at once.
"""

import concurrent.futures
import os
import pathlib
import signal
import sys
import threading

from absl import flags

from bdlzoo.programs import console
from bdlzoo.serving import server_files
from bdlzoo.serving.grpc_server import GRPCServer
from bdlzoo.serving.limits import Limits
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
_GRACE = flags.DEFINE_float(
    "grace", 20.0, "Seconds in which accepted requests are answered before the end.",
    lower_bound=0)
_HOSTS = flags.DEFINE_list(
    "allowed_hosts", [], "Further names of this server in the header Host, with commas "
    "between; * allows all.")
_USUAL = Limits()
_BODY = flags.DEFINE_integer(
    "max_body_bytes", _USUAL.body_bytes, "Largest body of a request.", lower_bound=1)
_ROWS = flags.DEFINE_integer(
    "max_rows", _USUAL.rows, "Most rows of a request.", lower_bound=1)
_ROW_DRAWS = flags.DEFINE_integer(
    "max_row_draws", _USUAL.row_draws, "Most rows times draws of a request.",
    lower_bound=1)
_PIXELS = flags.DEFINE_integer(
    "max_pixels", _USUAL.pixels, "Most pixels of all images of a request.",
    lower_bound=1)
_CONNECTIONS = flags.DEFINE_integer(
    "max_connections", _USUAL.connections, "Most connections over each protocol.",
    lower_bound=1)
_FIELDS = flags.DEFINE_integer(
    "max_fields", _USUAL.fields, "Most fields of a message over gRPC.", lower_bound=1)
_ANSWER = flags.DEFINE_integer(
    "max_answer_bytes", _USUAL.answer_bytes, "Largest tensor of an answer.",
    lower_bound=1)
console.required(model_base_path="served/digits")


def main(argv):
    del argv
    with console.explained():
        models = ModelServer(
            _models(), _max_batch_size(), _POLL.value,
            Limits(_BODY.value, _ROWS.value, _ROW_DRAWS.value, _PIXELS.value,
                   _CONNECTIONS.value, _FIELDS.value, answer_bytes=_ANSWER.value))
        models.start()
        rest = RESTServer(models, _REST_PORT.value, tuple(_HOSTS.value))
        grpc = GRPCServer(models, _PORT.value)
    end = _told_to_end()
    rest.start()
    grpc.start()
    print(f"Serving {', '.join(models.folders)}: page and REST at "
          f"http://127.0.0.1:{rest.port}/, gRPC at 127.0.0.1:{grpc.port}; "
          "stop with Ctrl-C", flush=True)
    end.wait()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        dropped = sum(pool.map(lambda door: door.stop(_GRACE.value), (rest, grpc)))
    if dropped:
        print(f"Expected to answer all requests within --grace={_GRACE.value:g} s. "
              f"Received: {dropped} that took longer and were dropped",
              file=sys.stderr, flush=True)
        os._exit(1)  # Python would wait for the threads that still compute them.
    models.stop()


def _told_to_end():
    """Event that SIGINT or SIGTERM sets; a second one ends the process."""
    end = threading.Event()

    def on_signal(*_):
        if end.is_set():
            os._exit(1)
        end.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        # Set here, because a shell lets jobs in the background ignore SIGINT.
        signal.signal(number, on_signal)
    return end


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
