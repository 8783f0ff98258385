"""A loaded version answers as the model does, and refuses what is not for it."""

import concurrent.futures

import numpy as np
import pytest

from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP
from bdlzoo.serving import served_version
from bdlzoo.serving.serving_error import ServingError


@pytest.fixture
def version(served):
    return served.models.version("digits")[1]


def _request(images, count=4, seed=5):
    return {"inputs": images, "num_samples": np.array([count], "int32"),
            "seed": np.array([[seed, 0]], "int32")}


def test_answers_are_those_of_the_model(version, published, images):
    model = published.model
    answer = version.run({"inputs": images})
    np.testing.assert_allclose(answer["probabilities"],
                               model.predict(images, verbose=0), atol=1e-5)
    answer = version.run(_request(images), "predict", ["label", "probabilities"])
    assert list(answer) == ["label", "probabilities"]
    np.testing.assert_allclose(
        answer["probabilities"], model.predict_uncertainty(images, 4, 5).mean,
        atol=1e-5)
    np.testing.assert_allclose(version.run(_request(images), "samples")["samples"],
                               model.sample_outputs(images, 4, 5), atol=1e-5)


def test_requests_at_once_are_answered_as_one_by_one(version, images):
    requests = [_request(images[k % 5:], seed=k % 7) for k in range(64)]

    def ask(request):
        return version.run(request, "predict")["probabilities"]

    alone = [ask(request) for request in requests]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for one, other in zip(alone, pool.map(ask, requests), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("change, words", [
    ({"inputs": np.zeros((1, 8, 8, 1), "float64")}, "float32 in input inputs"),
    ({"inputs": np.zeros((1, 8, 8), "float32")}, "shape"),
    ({"inputs": np.full((1, 8, 8, 1), np.nan, "float32")}, "finite"),
    ({"num_samples": np.array([0], "int32")}, "num_samples from 1 to 16"),
    ({"num_samples": np.array([17], "int32")}, "num_samples from 1 to 16"),
    ({"seed": np.array([5, 0], "int32")}, "shape"),
    ({"more": np.zeros(1)}, "Expected the inputs")])
def test_bad_inputs_are_invalid_arguments(version, images, change, words):
    with pytest.raises(ServingError, match=words) as raised:
        version.run({**_request(images), **change}, "predict")
    assert raised.value.code == "INVALID_ARGUMENT"


def test_unknown_names(version, images):
    with pytest.raises(ServingError, match='"nothing" not found') as raised:
        version.run({"inputs": images}, "nothing")
    assert raised.value.code == "FAILED_PRECONDITION"
    assert "__saved_model_init_op" in version.signatures
    with pytest.raises(ServingError, match="answers with tensors") as raised:
        version.run({}, "__saved_model_init_op")
    assert raised.value.code == "INVALID_ARGUMENT"
    for outputs in (["nothing"], ["label", "label"]):
        with pytest.raises(ServingError, match="among the outputs") as raised:
            version.run({"inputs": images}, outputs=outputs)
        assert raised.value.code == "INVALID_ARGUMENT"


def test_compiled_sizes_are_forgotten_before_they_fill_the_memory(
        tmp_path, monkeypatch):
    model, x = MCDropout(MLP((4,), (8,), 3, dropout=0.5), seed=0), np.eye(4)[:3]
    model.build((None, 4))
    version = served_version.ServedVersion(model.export(tmp_path, jit_compile=True))
    monkeypatch.setattr(served_version, "_MOST_COMPILED", 2)
    sessions, x = [version._session], x.astype("float32")
    for count in (1, 2, 1, 3, 3):
        found = version.run(_request(x, count), "predict")["probabilities"]
        np.testing.assert_allclose(
            found, model.predict_uncertainty(x, count, 5).mean, atol=1e-5)
        sessions.append(version._session)
    assert sessions[0] is sessions[3] is not sessions[4] is sessions[5]
    for path in tmp_path.glob("1/*.pb"):
        path.unlink()
    for count in (4, 5):  # What is loaded goes on without its files.
        assert version.run(_request(x, count), "predict")
    assert version._session is sessions[5] and len(version._sizes) == 1


def test_what_is_not_compiled_keeps_its_session(version, images):
    session = version._session
    for count in range(1, 17):
        version.run(_request(images, count), "predict")
    assert version._session is session and not version._sizes
