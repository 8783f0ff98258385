"""One model, published once, behind both doors of a server."""

import types

import numpy as np
import pytest

from bdlzoo.methods import MCDropout
from bdlzoo.networks import SmallCNN
from bdlzoo.serving.grpc_client import GRPCClient
from bdlzoo.serving.grpc_server import GRPCServer
from bdlzoo.serving.model_server import ModelServer
from bdlzoo.serving.publish import publish
from bdlzoo.serving.rest_client import RESTClient
from bdlzoo.serving.rest_server import RESTServer

SHAPE = (8, 8, 1)


@pytest.fixture(scope="session")
def images():
    return np.random.default_rng(0).random((5, *SHAPE)).astype("float32")


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """A small classifier, and where it was published."""
    network = SmallCNN(SHAPE, filters=(4,), hidden=(8,), outputs=10, dropout=0.4,
                       dropout_at="last")
    model = MCDropout(network, num_samples=4, seed=3)
    model.build((None, *SHAPE))
    folder = tmp_path_factory.mktemp("served") / "digits"
    return types.SimpleNamespace(
        model=model, folder=folder,
        publication=publish(model, folder, batch_sizes=(1, 2), max_samples=16))


@pytest.fixture(scope="session")
def served(published):
    """Servers of that model, and a client for each."""
    models = ModelServer({"digits": published.folder}, poll_seconds=60)
    models.start()
    rest, grpc = RESTServer(models), GRPCServer(models)
    for door in (rest, grpc):
        door.start()
    addresses = {RESTClient: f"127.0.0.1:{rest.port}",
                 GRPCClient: f"127.0.0.1:{grpc.port}"}
    yield types.SimpleNamespace(
        models=models, rest=rest, grpc=grpc, addresses=addresses,
        clients={kind: kind(address, "digits")
                 for kind, address in addresses.items()})
    for part in (rest, grpc, models):
        part.stop()
