"""gRPC server of a `ModelServer`, for clients on this machine.

It has `PredictionService.Predict` and `GetModelMetadata`, and
`ModelService.GetModelStatus`, with the error codes of TF Serving.
"""

import concurrent.futures
import contextlib

import grpc
import tensorflow as tf
from absl import logging

from bdlzoo.serving import apis
from bdlzoo.serving.rest_server import status_response
from bdlzoo.serving.serving_error import ServingError

_THREADS = 16
_OPTIONS = [("grpc.max_receive_message_length", -1),  # As in TF Serving.
            ("grpc.max_send_message_length", -1), ("grpc.so_reuseport", 0)]


class GRPCServer:
    """Answers requests over gRPC on the loopback interface.

    Args:
        models: `ModelServer` that has the models.
        port: Integer; 0 takes a free port, which the attribute `port` then holds.
    """

    def __init__(self, models, port=0):
        self._server = grpc.server(
            concurrent.futures.ThreadPoolExecutor(_THREADS), options=_OPTIONS)
        apis.prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(
            _Prediction(models), self._server)
        apis.model_service_pb2_grpc.add_ModelServiceServicer_to_server(
            _Models(models), self._server)
        try:
            self.port = self._server.add_insecure_port(f"127.0.0.1:{port}")
        except RuntimeError as error:
            raise OSError("Expected a free port for gRPC. Received: "
                          f"port={port}") from error

    def start(self):
        self._server.start()

    def stop(self):
        self._server.stop(grace=1).wait()


@contextlib.contextmanager
def _told(context):
    """Sends errors to the client with their code."""
    try:
        yield
    except ServingError as error:
        context.abort(getattr(grpc.StatusCode, error.code), error.message)
    except Exception as error:  # An internal error; the server keeps running.
        logging.exception("A request failed")
        context.abort(grpc.StatusCode.INTERNAL, type(error).__name__)


def _number(spec):
    """Number of the version in a request; `None` for the newest version."""
    if spec.version_label:
        raise ServingError("INVALID_ARGUMENT", "Unrecognized servable version label: "
                           f"{spec.version_label}")
    return spec.version.value if spec.HasField("version") else None


class _Prediction(apis.prediction_service_pb2_grpc.PredictionServiceServicer):
    def __init__(self, models):
        self._models = models

    def Predict(self, request, context):
        with _told(context):
            spec = request.model_spec
            number, version = self._models.version(spec.name, _number(spec))
            outputs = self._models.run(
                version, {name: _array(name, tensor)
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

    def GetModelMetadata(self, request, context):
        with _told(context):
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


class _Models(apis.model_service_pb2_grpc.ModelServiceServicer):
    def __init__(self, models):
        self._models = models

    def GetModelStatus(self, request, context):
        with _told(context):
            spec = request.model_spec
            return status_response(self._models.status(spec.name, _number(spec)))


def _array(name, tensor):
    try:
        return tf.make_ndarray(tensor)
    except (TypeError, ValueError) as error:
        raise ServingError("INVALID_ARGUMENT", f"Expected a tensor in {name}. "
                           f"Received: {error}") from error
