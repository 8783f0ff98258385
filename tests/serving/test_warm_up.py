"""Requests of the warm-up are real ones, and a version that fails them is bad."""

import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

from bdlzoo.serving import warm_up
from bdlzoo.serving.model_server import ModelServer
from bdlzoo.serving.served_version import ServedVersion
from bdlzoo.serving.serving_error import ServingError
from tests.model.test_saved_model import write


def test_every_signature_is_asked_in_every_size(published):
    path = published.publication.path / "assets.extra/tf_serving_warmup_requests"
    logs = [prediction_log_pb2.PredictionLog.FromString(record.numpy())
            for record in tf.data.TFRecordDataset(str(path))]
    asked = [log.predict_log.request for log in logs]
    assert [(r.model_spec.signature_name, r.inputs["inputs"].tensor_shape.dim[0].size)
            for r in asked] == [("predict", 1), ("predict", 2), ("samples", 1),
                                ("samples", 2), ("serving_default", 1),
                                ("serving_default", 2)]
    assert tf.make_ndarray(asked[0].inputs["num_samples"]).tolist() == [4]
    assert tf.make_ndarray(asked[0].inputs["seed"]).tolist() == [[0, 0]]
    for request, (name, inputs) in zip(asked, warm_up.read(published.publication.path),
                                       strict=True):
        assert name == request.model_spec.signature_name
        np.testing.assert_array_equal(
            inputs["inputs"], tf.make_ndarray(request.inputs["inputs"]))


def test_given_rows_are_asked_about(published, served, images):
    _, version = served.models.version("digits")
    asked = dict(warm_up.requests(version.signatures, 4, {"inputs": images}, (7,)))
    rows = asked["serving_default"]["inputs"]
    np.testing.assert_array_equal(rows, np.concatenate([images, images[:2]]))


def test_version_that_fails_its_warm_up_is_not_served(tmp_path):
    version = ServedVersion(write(tmp_path / "sums"))
    assert warm_up.read(version.path) == []
    wrong = [("serving_default", {"inputs": np.ones((1, 5), "float32")})]
    warm_up.write(version.path, wrong)
    with pytest.raises(ServingError, match="shape"):
        warm_up.replay(version)
    with pytest.raises(ValueError, match="shape"):
        ModelServer({"sums": tmp_path / "sums"}).start()
