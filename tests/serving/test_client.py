"""The same lines ask over REST and over gRPC, and get the same answers."""

import concurrent.futures

import numpy as np
import pytest

from bdlzoo.serving.grpc_client import GRPCClient
from bdlzoo.serving.rest_client import RESTClient
from bdlzoo.serving.serving_error import ServingError


@pytest.fixture(params=[RESTClient, GRPCClient])
def client(request, served):
    return served.clients[request.param]


def test_answers_are_those_of_the_model(client, published, images):
    model = published.model
    default, prediction = client.predict(images), model.predict_uncertainty(images)
    for name, value in default.items():
        np.testing.assert_allclose(value, getattr(prediction, name), atol=1e-5)
    assert default["label"].dtype == np.int32
    assert default["probabilities"].dtype == np.float32
    asked = client.predict({"inputs": images}, num_samples=6, seed=9)
    np.testing.assert_allclose(
        asked["probabilities"], model.predict_uncertainty(images, 6, seed=9).mean,
        atol=1e-5)
    np.testing.assert_allclose(client.samples(images, 6, seed=(9, 1)),
                               model.sample_outputs(images, 6, seed=(9, 1)), atol=1e-5)


def test_doors_agree_to_the_last_bit(served, images):
    one, other = (c.predict(images, num_samples=5, seed=2)
                  for c in served.clients.values())
    for name in one:
        np.testing.assert_array_equal(one[name], other[name])


def test_metadata_and_status(client):
    found = client.metadata()
    assert set(found) == {"serving_default", "predict", "samples"}
    assert found["predict"]["inputs"] == {
        "inputs": ("float32", (None, 8, 8, 1)), "num_samples": ("int32", (1,)),
        "seed": ("int32", (1, 2))}
    assert found["serving_default"]["outputs"]["probabilities"] == (
        "float32", (None, 10))
    assert client.status() == [{"version": 1, "state": "AVAILABLE",
                                "error_code": "OK", "error_message": ""}]


def test_errors_are_the_same(client, served, images):
    for ask, code in (
            (lambda: client.predict(images, num_samples=17), "INVALID_ARGUMENT"),
            (lambda: client.predict(np.full_like(images, np.nan)), "INVALID_ARGUMENT"),
            (lambda: client.predict({"image": images}), "INVALID_ARGUMENT"),
            (lambda: client.ask("serving_default", {"inputs": images[0]}),
             "INVALID_ARGUMENT"),
            (lambda: type(client)(client.address, "other").predict(images),
             "NOT_FOUND"),
            (lambda: type(client)(client.address, "digits", version=5).status(),
             "NOT_FOUND")):
        with pytest.raises(ServingError) as raised:
            ask()
        assert raised.value.code == code
    with pytest.raises(ValueError, match="`num_samples` if a seed"):
        client.predict(images, seed=3)


def test_one_client_serves_many_threads(client, images):
    alone = client.predict(images[:1], num_samples=4, seed=1)["probabilities"]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for answer in pool.map(lambda _: client.predict(
                images[:1], num_samples=4, seed=1)["probabilities"], range(32)):
            np.testing.assert_array_equal(answer, alone)


@pytest.mark.parametrize("seed", [2**32, (0, -2**31 - 1)])
def test_a_seed_that_would_wrap_is_refused(seed):
    client = object.__new__(RESTClient)
    with pytest.raises(ValueError, match="Expected a seed of 32 bits"):
        client._request([0.0], 1, seed)
