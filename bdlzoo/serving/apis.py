"""Imports of the protocol buffers of TF Serving."""

try:
    from tensorflow_serving.apis import (
        get_model_metadata_pb2,
        get_model_status_pb2,
        model_service_pb2_grpc,
        predict_pb2,
        prediction_log_pb2,
        prediction_service_pb2_grpc,
    )
    from tensorflow_serving.config import model_server_config_pb2
except ImportError as error:
    raise ImportError("Expected the package tensorflow-serving-api: install "
                      f"`bdlzoo[serving]`. Received: {error}") from error

__all__ = ["get_model_metadata_pb2", "get_model_status_pb2",
           "model_server_config_pb2", "model_service_pb2_grpc", "predict_pb2",
           "prediction_log_pb2", "prediction_service_pb2_grpc"]
