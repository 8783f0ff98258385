"""gRPC server of a `ModelServer`, for clients on this machine.

It has `PredictionService.Predict` and `GetModelMetadata`, and
`ModelService.GetModelStatus`, with the error codes of TF Serving. Bytes are parsed
here, and not by gRPC, which would call wrong ones an internal error.
"""

import concurrent.futures
import contextlib
import threading
import time

import grpc
import tensorflow as tf
from absl import logging
from google.protobuf.message import DecodeError

from bdlzoo.serving import apis, tensor_protos
from bdlzoo.serving.rest_answers import status_response
from bdlzoo.serving.serving_error import ServingError

_LINGER = 10.0  # Seconds until no more are taken, at most.
# Without a request, it ends after so many looks. Looks are counted and not seconds: a
# busy machine takes requests later, and looks later too.
_LOOKS, _PAUSE = 25, 0.02
_OPTIONS = [("grpc.max_send_message_length", -1), ("grpc.so_reuseport", 0)]
_MESSAGE_SECONDS = 10.0  # From the head of a call until its message is there.
_THREADS = 2  # Times the answers at once: most of them wait for messages or turns.
_LARGE, _LARGE_AT_ONCE = 2**20, 4  # Bytes of messages of which few are parsed at once.


class GRPCServer:
    """Answers requests over gRPC on the loopback interface.

    Args:
        models: `ModelServer` that has the models.
        port: Integer; 0 takes a free port, which the attribute `port` then holds.
    """

    def __init__(self, models, port=0):
        limits = models.limits
        self._server = grpc.server(
            concurrent.futures.ThreadPoolExecutor(_THREADS * limits.answers),
            maximum_concurrent_rpcs=limits.connections,
            options=[*_OPTIONS,
                     ("grpc.max_allowed_incoming_connections", limits.connections),
                     ("grpc.max_receive_message_length", limits.body_bytes)])
        self._methods = _Methods(models)
        self._server.add_generic_rpc_handlers((self._methods,))
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._cancel_late, daemon=True)
        try:
            self.port = self._server.add_insecure_port(f"127.0.0.1:{port}")
        except RuntimeError as error:
            raise OSError("Expected a free port for gRPC: choose one with --port. "
                          f"Received: port={port}") from error

    def start(self):
        self._server.start()
        self._watch.start()

    def stop(self, grace=1.0):
        """Accepts no more requests, answers what was accepted, then ends.

        Args:
            grace: Float, seconds after which requests are dropped.

        Returns:
            Number of requests that were dropped.
        """
        begin = time.monotonic()
        # gRPC cancels requests that wait to be taken, so that they are taken first.
        looks, taken = 0, self._methods.last_taken
        while looks < _LOOKS and time.monotonic() - begin < min(_LINGER, grace / 2):
            time.sleep(_PAUSE)
            looks = looks + 1 if taken == self._methods.last_taken else 0
            taken = self._methods.last_taken
        left = max(0.0, grace - (time.monotonic() - begin))
        # It cancels them a second later, when it is known that some were dropped.
        ended = self._server.stop(left + 1).wait(left)
        self._ended.set()
        return 0 if ended else max(1, self._methods.active)

    def _cancel_late(self):
        # gRPC itself would wait for messages for ever.
        while not self._ended.wait(_MESSAGE_SECONDS / 10):
            self._methods.cancel_late()


class _Methods(grpc.GenericRpcHandler):
    """The methods of both services, as functions of bytes."""

    def __init__(self, models):
        self._models = models
        self._lock = threading.Lock()
        self._large = threading.BoundedSemaphore(_LARGE_AT_ONCE)
        self.active = 0  # Requests that are being answered.
        self._waiting = {}  # Calls without their message: the time of their head.
        self.last_taken = 0.0  # Time at which gRPC gave the last request.
        found = {"PredictionService/Predict": apis.predict_pb2.PredictRequest,
                 "PredictionService/GetModelMetadata":
                     apis.get_model_metadata_pb2.GetModelMetadataRequest,
                 "ModelService/GetModelStatus":
                     apis.get_model_status_pb2.GetModelStatusRequest}
        self._handlers = {
            f"/tensorflow.serving.{path}": grpc.stream_unary_rpc_method_handler(
                self._told(getattr(self, path.split("/")[1]), kind))
            for path, kind in found.items()}

    def service(self, handler_call_details):
        self.last_taken = time.monotonic()
        return self._handlers.get(handler_call_details.method)

    def _told(self, answer, kind):
        """A method that sends its errors to the client, with their code."""
        def method(messages, context):
            with self._lock:
                self.active += 1
                self._waiting[context] = time.monotonic()
            try:
                sent = self._only(messages, context)
                with self._large if len(sent) > _LARGE else contextlib.nullcontext():
                    return answer(self._parsed(kind, sent)).SerializeToString()
            except grpc.RpcError:  # The client is gone, or was too slow.
                raise
            except ServingError as error:
                code, message = getattr(grpc.StatusCode, error.code), error.message
            except Exception as error:  # An internal error; the server keeps running.
                logging.exception("A request failed")
                code, message = grpc.StatusCode.INTERNAL, type(error).__name__
            finally:
                with self._lock:
                    self.active -= 1
            context.abort(code, message)

        return method

    def _only(self, messages, context):
        """The message of a call."""
        try:
            for sent in messages:
                return sent
        finally:
            with self._lock:
                del self._waiting[context]
        raise ServingError("INVALID_ARGUMENT", "Expected a message. Received: none")

    def cancel_late(self):
        """Ends calls whose message has not come; each holds one of few threads."""
        with self._lock:
            late = [context for context, begin in self._waiting.items()
                    if time.monotonic() - begin > _MESSAGE_SECONDS]
        for context in late:
            context.cancel()

    def _parsed(self, kind, sent):
        self._models.limits.check_fields(sent, kind.DESCRIPTOR)
        try:
            return kind.FromString(sent)
        except DecodeError as error:
            raise ServingError(
                "INVALID_ARGUMENT", f"Expected a {kind.DESCRIPTOR.name}. Received: "
                f"{len(sent)} bytes, {error}") from error

    def Predict(self, request):
        spec = request.model_spec
        number, version = self._models.version(spec.name, _number(spec))
        infos = version.signature(spec.signature_name).inputs
        version.check_names(request.inputs, infos)
        outputs = self._models.run(
            version, {name: tensor_protos.read(name, tensor, infos[name],
                                               self._models.limits)
                      for name, tensor in request.inputs.items()},
            spec.signature_name, request.output_filter)
        response = apis.predict_pb2.PredictResponse()
        response.model_spec.name = spec.name
        response.model_spec.signature_name = (
            spec.signature_name or tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY)
        response.model_spec.version.value = number
        for name, value in outputs.items():
            response.outputs[name].CopyFrom(tf.make_tensor_proto(value))
        return response

    def GetModelMetadata(self, request):
        if list(request.metadata_field) != ["signature_def"]:
            raise ServingError(
                "INVALID_ARGUMENT", "Expected the metadata field signature_def. "
                f"Received: {list(request.metadata_field)}")
        spec = request.model_spec
        number, version = self._models.version(spec.name, _number(spec))
        response = apis.get_model_metadata_pb2.GetModelMetadataResponse()
        response.model_spec.name = spec.name
        response.model_spec.version.value = number
        response.metadata["signature_def"].Pack(
            apis.get_model_metadata_pb2.SignatureDefMap(
                signature_def=version.signatures))
        return response

    def GetModelStatus(self, request):
        spec = request.model_spec
        return status_response(self._models.status(spec.name, _number(spec)))


def _number(spec):
    """Number of the version in a request; `None` for the newest version."""
    if spec.version_label:
        raise ServingError("INVALID_ARGUMENT", "Unrecognized servable version label: "
                           f"{spec.version_label}")
    return spec.version.value if spec.HasField("version") else None
