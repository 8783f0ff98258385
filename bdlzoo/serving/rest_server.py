"""REST server of a `ModelServer`, for clients on this machine.

    POST /v1/models/NAME[/versions/N]:predict     prediction, see `json_tensors`
    GET  /v1/models/NAME[/versions/N]             states of the versions
    GET  /v1/models/NAME[/versions/N]/metadata    signatures
    GET  /                                        page to try the models

The first three are those of TF Serving, with the same HTTP status codes.
"""

import http.server
import json
import pathlib
import re
import threading
import urllib.parse

from absl import logging
from google.protobuf import json_format

from bdlzoo.serving import apis, json_tensors
from bdlzoo.serving.serving_error import ServingError

_VERSION = r"/v1/models/([^/:]+)(?:/versions/(\d+)|/labels/([^/:]+))?"
_ASK = re.compile(_VERSION + ":(classify|regress|predict)", re.I)
_LOOK = re.compile(_VERSION + "(/metadata)?", re.I)
_PAGE = pathlib.Path(__file__).with_name("page.html")
_MOST_BYTES = 2**28  # Size limit of a request.
_PATIENCE = 60  # Seconds until an idle connection is closed.


class RESTServer:
    """Answers requests over HTTP on the loopback interface.

    Args:
        models: `ModelServer` that has the models.
        port: Integer; 0 takes a free port, which the property `port` then returns.
    """

    def __init__(self, models, port=0):
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.models = models
        self._thread = threading.Thread(target=self._server.serve_forever,
                                        daemon=True)

    @property
    def port(self):
        """Port of the server."""
        return self._server.server_address[1]

    def start(self):
        self._thread.start()

    def stop(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # Connections that may wait.


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # Many requests use one connection.
    disable_nagle_algorithm = True  # An answer is sent at once.
    timeout = _PATIENCE

    def do_GET(self):
        if self.path == "/":
            names = json.dumps(sorted(self.server.models.folders))
            names = names.replace("<", "\\u003c")  # A name cannot end the script.
            text = _PAGE.read_text().replace("__MODELS__", names)
            self._answer(200, "text/html; charset=utf-8", text)
        else:
            self._tell(self._look)

    def do_POST(self):
        self._tell(self._ask)

    def _tell(self, find):
        """Answers with the result of a function, or with its error."""
        try:
            status, text = 200, find()
        except ServingError as error:
            status = error.http_status
            text = json.dumps({"error": error.message})
        except Exception as error:  # An internal error; the server keeps running.
            logging.exception("%s failed", self.path)
            status, text = 500, json.dumps({"error": f"{type(error).__name__}"})
        self._answer(status, "application/json", text)

    def _answer(self, status, kind, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _target(self, pattern):
        """Name, version and last part of the path."""
        found = pattern.fullmatch(urllib.parse.urlsplit(self.path).path)
        if found is None:
            raise ServingError("INVALID_ARGUMENT",
                               f"Malformed request: {self.command} {self.path}")
        name, number, label, last = found.groups()
        if label is not None:
            raise ServingError("INVALID_ARGUMENT",
                               f"Unrecognized servable version label: {label}")
        return urllib.parse.unquote(name), int(number) if number else None, last

    def _look(self):
        models = self.server.models
        if not self.path.lower().startswith("/v1/"):
            raise ServingError("NOT_FOUND", f"Not found: {self.path}")
        name, number, metadata = self._target(_LOOK)
        if metadata is None:
            return json_format.MessageToJson(
                status_response(models.status(name, number)),
                always_print_fields_with_no_presence=True)
        number, version = models.version(name, number)
        signatures = apis.get_model_metadata_pb2.SignatureDefMap(
            signature_def=version.signatures)
        return json.dumps({
            "model_spec": {"name": name, "signature_name": "",
                           "version": str(number)},
            "metadata": {"signature_def": json_format.MessageToDict(
                signatures, preserving_proto_field_name=True,
                always_print_fields_with_no_presence=True)}})

    def _ask(self):
        body = self._body()  # Always read, because the connection stays open.
        name, number, verb = self._target(_ASK)
        if verb.lower() != "predict":
            raise ServingError("INVALID_ARGUMENT", "Expected the method predict, the "
                               f"only one of these models. Received: {verb}")
        models, found = self.server.models, []

        def inputs_of(signature):  # Called after the JSON is read.
            found.append(models.version(name, number)[1])
            return _inputs_of(found[0], signature)

        signature, inputs, by_rows = json_tensors.parse(body, inputs_of)
        return json_tensors.encode(models.run(found[0], inputs, signature), by_rows)

    def _body(self):
        size = int(self.headers.get("Content-Length") or 0)
        if size > _MOST_BYTES:
            self.close_connection = True  # The rest of the request is not read.
            raise ServingError("RESOURCE_EXHAUSTED", f"Expected at most {_MOST_BYTES} "
                               f"bytes. Received: {size}")
        return self.rfile.read(size)

    def log_message(self, format, *args):
        logging.debug(format, *args)


def _inputs_of(version, signature):
    try:
        return version.signature(signature).inputs
    except ServingError as error:  # Over REST a wrong name is a wrong argument.
        raise ServingError("INVALID_ARGUMENT", error.message) from error


def status_response(statuses):
    """Protocol buffer of a list of `VersionStatus`."""
    response = apis.get_model_status_pb2.GetModelStatusResponse()
    states = apis.get_model_status_pb2.ModelVersionStatus.State
    for status in statuses:
        told = response.model_version_status.add(
            version=status.version, state=states.Value(status.state))
        told.status.error_code = _number(told.status, status.error_code)
        told.status.error_message = status.error_message
    return response


def _number(status, code):
    enum = status.DESCRIPTOR.fields_by_name["error_code"].enum_type
    return enum.values_by_name[code].number
