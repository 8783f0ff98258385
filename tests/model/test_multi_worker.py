"""Two workers on one machine train as one process does."""

import json
import os
import pathlib
import socket
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
WORKER = """
import sys
import keras, numpy as np, tensorflow as tf
folder, several = sys.argv[1], sys.argv[2] == "several"
strategy = (tf.distribute.MultiWorkerMirroredStrategy() if several
            else tf.distribute.get_strategy())
from bdlzoo.methods import Deterministic
from bdlzoo.networks import MLP
rng = np.random.default_rng(0)
x = rng.normal(size=(64, 4)).astype("float32")
y = rng.integers(0, 3, 64).astype("int32")
with strategy.scope():
    keras.utils.set_random_seed(1)
    model = Deterministic(MLP((4,), (8,), 3), seed=5, prior_scale=1.0)
    model.compile(keras.optimizers.SGD(0.1))
logs = model.fit(x, y, batch_size=16, epochs=2, verbose=0).history
index = strategy.cluster_resolver.task_id if several else "alone"
np.savez(f"{folder}/{index}.npz", *[w.numpy() for w in model.network.weights],
         loss=np.ravel(logs["loss"]))
"""


def _start(folder, several, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(folder), several], cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("localhost", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@pytest.mark.slow
def test_two_workers_equal_one_process(tmp_path):
    cluster = {"worker": [f"localhost:{port}" for port in _free_ports(2)]}
    workers = [_start(tmp_path, "several", TF_CONFIG=json.dumps(
        {"cluster": cluster, "task": {"type": "worker", "index": i}}))
        for i in (0, 1)]
    for worker in [*workers, _start(tmp_path, "alone")]:
        out, _ = worker.communicate(timeout=240)
        assert worker.returncode == 0, out[-3000:]
    first, second, alone = (np.load(tmp_path / f"{name}.npz")
                            for name in (0, 1, "alone"))
    for name in first.files:
        np.testing.assert_array_equal(first[name], second[name])
        np.testing.assert_allclose(first[name], alone[name], atol=1e-5)
