"""Names and types of inputs, from `fit` to the answer of a server."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import DeepEnsemble, MCDropout
from bdlzoo.serving.grpc_client import GRPCClient
from bdlzoo.serving.grpc_server import GRPCServer
from bdlzoo.serving.model_server import ModelServer
from bdlzoo.serving.publish import publish
from bdlzoo.serving.rest_client import RESTClient
from bdlzoo.serving.rest_server import RESTServer
from bdlzoo.serving.served_version import ServedVersion
from tests.doors import small_networks as small


def _model(network, kind=MCDropout):
    count = "num_members" if kind is DeepEnsemble else "num_samples"
    model = kind(network, seed=1, **{count: 2})
    model.compile(keras.optimizers.SGD(0.1))
    return model


def _specs(version, signature="serving_default"):
    return {name: tf.as_dtype(info.dtype).name
            for name, info in version.signatures[signature].inputs.items()}


def test_inputs_of_all_types_are_served_as_in_process(tmp_path):
    network, rows = small.mixed()
    model = _model(network)
    model.fit(rows, small.labels(), verbose=0)
    expected = model.predict(rows, verbose=0)
    version = ServedVersion(model.export(tmp_path / "mixed"))
    assert _specs(version) == {"word": "int32", "size": "float32", "city": "string"}
    np.testing.assert_allclose(version.run(rows)["probabilities"], expected, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("names", [
    ("house price", "age"), ("inputs", "seed", "num_samples"), ("class", "a-b")])
def test_signatures_have_the_names_of_the_inputs(tmp_path, names):
    network, rows = small.named(*names)
    model = _model(network)
    expected = model.predict(rows, verbose=0)
    path = model.export(tmp_path / "named")
    version = ServedVersion(path)
    assert set(_specs(version)) == set(names)
    words = {word: f"request_{word}" if word in names else word
             for word in ("num_samples", "seed")}
    assert set(_specs(version, "predict")) == {*names, *words.values()}
    asked = {**rows, words["num_samples"]: np.array([2], "int32"),
             words["seed"]: np.array([[1, 0]], "int32")}
    loaded = tf.saved_model.load(str(path)).signatures
    tensors = {name: tf.constant(value) for name, value in asked.items()}
    in_python = loaded["predict"](**tensors)["probabilities"]
    for found in (version.run(rows), version.run(asked, "predict")):
        np.testing.assert_allclose(found["probabilities"], expected, atol=1e-6)
    np.testing.assert_allclose(in_python, expected, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [MCDropout, DeepEnsemble])
@pytest.mark.parametrize("make", [small.text, small.mixed])
def test_tables_of_words_are_saved_and_served(tmp_path, kind, make):
    network, rows = make()
    model = _model(network, kind)
    model.fit(rows, small.labels(), verbose=0)
    expected = model.predict(rows, verbose=0)
    assert np.abs(expected - expected[:1]).max() > 1e-4
    np.testing.assert_allclose(model.predict_uncertainty(rows).mean, expected,
                               atol=1e-6)
    model.save(tmp_path / "a.keras")
    loaded = keras.saving.load_model(tmp_path / "a.keras")
    np.testing.assert_allclose(loaded.predict(rows, verbose=0), expected, atol=1e-6)
    version = ServedVersion(loaded.export(tmp_path / "served"))
    asked = rows if isinstance(rows, dict) else {"inputs": rows}
    np.testing.assert_allclose(version.run(asked)["probabilities"], expected, atol=1e-6)


@pytest.mark.slow
def test_types_of_a_subclassed_network_are_remembered(tmp_path):
    network, rows = small.looked_up()
    model = _model(network)
    model.fit(rows, small.labels(), verbose=0)
    expected = model.predict(rows, verbose=0)
    model.save(tmp_path / "a.keras")
    loaded = keras.saving.load_model(tmp_path / "a.keras")
    np.testing.assert_allclose(loaded.predict(rows, verbose=0), expected, atol=1e-6)
    version = ServedVersion(loaded.export(tmp_path / "served"))
    assert _specs(version) == {"city": "string", "size": "float32"}
    np.testing.assert_allclose(version.run(rows)["probabilities"], expected, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("make", [
    small.mixed, small.text, lambda: small.named("seed", "house price")])
def test_clients_of_servers_send_all_names_and_types(tmp_path, make):
    network, rows = make()
    model = _model(network)
    expected = model.predict_uncertainty(rows, num_samples=3, seed=5).mean
    publish(model, tmp_path / "net", batch_sizes=(1,))
    models = ModelServer({"net": tmp_path / "net"}, poll_seconds=60)
    models.start()
    servers = RESTServer(models), GRPCServer(models)
    for server, kind in zip(servers, (RESTClient, GRPCClient)):
        server.start()
        with kind(f"127.0.0.1:{server.port}", "net") as client:
            answer = client.predict(rows, num_samples=3, seed=5)
            np.testing.assert_allclose(answer["probabilities"], expected, atol=1e-6)
            np.testing.assert_allclose(
                client.predict(rows)["probabilities"], model.predict(rows, verbose=0),
                atol=1e-6)
        server.stop()
    models.stop()


def test_types_that_an_input_cannot_hold_are_refused():
    network, rows = small.mixed()
    model = _model(network)
    for name, wrong, words in (
            ("word", rows["word"] + 0.5, "int32 in input word.*whole numbers"),
            ("city", rows["word"][:, :1], "string in input city.*int32"),
            ("size", np.tile(rows["city"], 2), "float32 in input size.*string")):
        with pytest.raises(ValueError, match=words):
            model.fit({**rows, name: wrong}, small.labels())
    whole = {**rows, "word": rows["word"].astype("float64")}
    np.testing.assert_array_equal(model.predict(whole, verbose=0),
                                  model.predict(rows, verbose=0))
