"""Client of gRPC, which is faster than JSON for large batches.

    client = GRPCClient("127.0.0.1:8500", "digits")
    answer = client.predict(images, num_samples=64, seed=7)
    answer["probabilities"], answer["mutual_information"]
"""

import grpc
import numpy as np
import tensorflow as tf

from bdlzoo.serving import apis
from bdlzoo.serving.client import Client
from bdlzoo.serving.serving_error import CODES, ServingError

_OPTIONS = [("grpc.max_receive_message_length", -1),
            ("grpc.max_send_message_length", -1)]


class GRPCClient(Client):
    """Sends requests over gRPC.

    Args:
        address: String, `"host:port"`; the usual port is 8500.
        model: String, name of the model.
        version: Integer, version of the model; `None` for the newest one.
        timeout: Float, seconds to wait for an answer.
    """

    def __init__(self, address, model, version=None, timeout=60.0):
        super().__init__(address, model, version, timeout)
        self._channel = grpc.insecure_channel(self.address, _OPTIONS)
        self._prediction = apis.prediction_service_pb2_grpc.PredictionServiceStub(
            self._channel)
        self._models = apis.model_service_pb2_grpc.ModelServiceStub(self._channel)

    def ask(self, signature, tensors):
        request = self._of_model(apis.predict_pb2.PredictRequest())
        request.model_spec.signature_name = signature
        for name, value in tensors.items():
            request.inputs[name].CopyFrom(tf.make_tensor_proto(np.asarray(value)))
        response = self._call(self._prediction.Predict, request)
        return {name: tf.make_ndarray(tensor)
                for name, tensor in response.outputs.items()}

    def metadata(self):
        request = self._of_model(
            apis.get_model_metadata_pb2.GetModelMetadataRequest())
        request.metadata_field.append("signature_def")
        response = self._call(self._prediction.GetModelMetadata, request)
        found = apis.get_model_metadata_pb2.SignatureDefMap()
        response.metadata["signature_def"].Unpack(found)
        return {name: {part: {key: _info(info)
                              for key, info in getattr(each, part).items()}
                       for part in ("inputs", "outputs")}
                for name, each in found.signature_def.items() if each.inputs}

    def status(self):
        request = self._of_model(apis.get_model_status_pb2.GetModelStatusRequest())
        response = self._call(self._models.GetModelStatus, request)
        states = apis.get_model_status_pb2.ModelVersionStatus.State
        return [{"version": each.version, "state": states.Name(each.state),
                 "error_code": CODES[each.status.error_code],
                 "error_message": each.status.error_message}
                for each in response.model_version_status]

    def close(self):
        self._channel.close()

    def _of_model(self, request):
        request.model_spec.name = self.model
        if self.version is not None:
            request.model_spec.version.value = self.version
        return request

    def _call(self, method, request):
        try:
            return method(request, timeout=self.timeout)
        except grpc.RpcError as error:
            raise ServingError(error.code().name, error.details()) from error


def _info(info):
    kind = tf.as_dtype(info.dtype)
    shape = tf.TensorShape(info.tensor_shape)
    return np.dtype(kind.as_numpy_dtype).name, (
        None if shape.rank is None else tuple(shape.as_list()))
