"""Answers to requests over HTTP, and the page.

    POST /v1/models/NAME[/versions/N]:predict     prediction, see `json_tensors`
    GET  /v1/models/NAME[/versions/N]             states of the versions
    GET  /v1/models/NAME[/versions/N]/metadata    signatures
    GET  /                                        page to try the models

The first three are those of TF Serving, with the same HTTP status codes.
"""

import json
import pathlib
import re
import secrets
import urllib.parse

from absl import logging
from google.protobuf import json_format

from bdlzoo.serving import apis, json_tensors
from bdlzoo.serving.http_messages import Answer
from bdlzoo.serving.serving_error import ServingError

# The longest numbers that TF Serving has for versions have 19 digits.
_VERSION = r"/v1/models/([^/:]+)(?:/versions/([0-9]{1,19})|/labels/([^/:]+))?"
_ASK = re.compile(_VERSION + ":(classify|regress|predict)", re.I)
_LOOK = re.compile(_VERSION + "(/metadata)?", re.I)
_PAGE = pathlib.Path(__file__).with_name("page.html")
# The page runs its own script only, and asks this server only.
_POLICY = ("default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; "
           "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'none'")


def answer(models, request, body):
    """Answers one request, with its error if there is one.

    Args:
        models: `ModelServer` that has the models.
        request: `Request`, the head.
        body: Bytes.

    Returns:
        `Answer`.
    """
    try:
        path = _path(request)
        if request.verb == "POST":
            text = _ask(models, path, body)
        elif request.verb not in ("GET", "HEAD"):
            raise ServingError("UNIMPLEMENTED", "Expected the method GET or POST. "
                               f"Received: {request.verb[:80]}")
        elif path == "/":
            return page(models.folders)
        else:
            text = _look(models, path)
        return Answer(200, "application/json", text.encode())
    except Exception as error:
        return of_error(error, request.target)


def of_error(error, target=""):
    """`Answer` that tells an error.

    Args:
        error: `ServingError`, or an exception of this server.
        target: String, the target of the request for the log.
    """
    closes = False
    if isinstance(error, ServingError):
        status, message, closes = error.http_status, error.message, error.closes
    else:  # An internal error; the server keeps running.
        logging.error("%.300s failed", target, exc_info=error)
        status, message = 500, type(error).__name__
    return Answer(status, "application/json",
                  json.dumps({"error": message}).encode(), closes=closes)


def page(names):
    """`Answer` with the page of models of these names."""
    told = json.dumps(sorted(names)).replace("<", "\\u003c")  # It ends no script.
    nonce = secrets.token_urlsafe(16)
    text = _PAGE.read_text().replace("__MODELS__", told).replace("__NONCE__", nonce)
    return Answer(200, "text/html; charset=utf-8", text.encode(), headers=(
        ("Content-Security-Policy", _POLICY.format(nonce)),
        ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store")))


def _path(request):
    try:
        return urllib.parse.urlsplit(request.target).path
    except ValueError as error:
        raise _malformed(request.verb, request.target) from error


def _malformed(verb, path):
    return ServingError("INVALID_ARGUMENT", f"Malformed request: {verb[:80]} {path}")


def _target(verb, path, pattern):
    """Name, version and last part of the path."""
    found = pattern.fullmatch(path)
    if found is None:
        raise _malformed(verb, path)
    name, number, label, last = found.groups()
    if label is not None:
        raise ServingError("INVALID_ARGUMENT",
                           f"Unrecognized servable version label: {label}")
    return urllib.parse.unquote(name), int(number) if number else None, last


def _look(models, path):
    if not path.lower().startswith("/v1/"):
        raise ServingError("NOT_FOUND", f"Not found: {path}")
    name, number, metadata = _target("GET", path, _LOOK)
    if metadata is None:
        return json_format.MessageToJson(
            status_response(models.status(name, number)),
            always_print_fields_with_no_presence=True)
    number, version = models.version(name, number)
    signatures = apis.get_model_metadata_pb2.SignatureDefMap(
        signature_def=version.signatures)
    return json.dumps({
        "model_spec": {"name": name, "signature_name": "", "version": str(number)},
        "metadata": {"signature_def": json_format.MessageToDict(
            signatures, preserving_proto_field_name=True,
            always_print_fields_with_no_presence=True)}})


def _ask(models, path, body):
    name, number, verb = _target("POST", path, _ASK)
    if verb.lower() != "predict":
        raise ServingError("INVALID_ARGUMENT", "Expected the method predict, the only "
                           f"one of these models. Received: {verb}")
    found = []

    def inputs_of(signature):  # Called after the JSON is read.
        found.append(models.version(name, number)[1])
        return _inputs_of(found[0], signature)

    models.limits.check_json(body)
    signature, inputs, by_rows = json_tensors.parse(body, inputs_of)
    return json_tensors.encode(models.run(found[0], inputs, signature), by_rows)


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
