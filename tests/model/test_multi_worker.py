"""Two workers on one machine train as one process does."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from bdlzoo.programs import supervisor

ROOT = pathlib.Path(__file__).parents[2]
WORKER = """
import sys
import keras, numpy as np, tensorflow as tf
folder, several = sys.argv[1], sys.argv[2] == "several"
strategy = (tf.distribute.MultiWorkerMirroredStrategy() if several
            else tf.distribute.get_strategy())
from bdlzoo.core import noise
from bdlzoo.methods import Deterministic, MCDropout, SGLD
from bdlzoo.networks import MLP
index = strategy.cluster_resolver.task_id if several else "alone"
rng = np.random.default_rng(0)
x = rng.normal(size=(61, 4)).astype("float32")  # The last batch: 13 rows, 7 and 6.
y = rng.integers(0, 3, 61).astype("int32")

class Telling(MCDropout):  # What is drawn on activations, and on weights.
    def objective(self, x, y, sample_weight, key):
        tf.print(noise.uniform([3], key), output_stream=f"file://{folder}/own-{index}")
        return super().objective(x, y, sample_weight, key)
    def update(self, gradients, key):
        tf.print(noise.uniform([3], key),
                 output_stream=f"file://{folder}/shared-{index}")
        super().update(gradients, key)

def trained(make, rate):
    with strategy.scope():
        keras.utils.set_random_seed(1)
        model = make()
        model.compile(keras.optimizers.SGD(rate))
    logs = model.fit(x, y, batch_size=16, epochs=2, verbose=0,
                     validation_data=(x, y)).history
    return model, logs

model, logs = trained(lambda: Deterministic(
    MLP((4,), (8,), 3), seed=5, prior_scale=1.0), 0.1)
sampler, _ = trained(lambda: SGLD(MLP((4,), (8,), 3), seed=5), 0.01)
trained(lambda: Telling(MLP((4,), (8,), 3, dropout=0.5), seed=5), 0.1)
np.savez(f"{folder}/{index}.npz", *[w.numpy() for w in model.network.weights],
         **{name: np.ravel(values) for name, values in logs.items()},
         chain=np.concatenate([np.ravel(w) for w in sampler.network.weights]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where two workers, and one process alone, have written what they have."""
    folder = tmp_path_factory.mktemp("workers")
    command = [sys.executable, "-c", WORKER, str(folder)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        supervisor.supervise([*command, "several"], num_workers=2, max_restarts=0)
        subprocess.run([*command, "alone"], check=True, timeout=240, env=os.environ)
    return folder


@pytest.mark.slow
def test_two_workers_equal_one_process(folder):
    first, second, alone = (np.load(folder / f"{name}.npz")
                            for name in (0, 1, "alone"))
    assert {"loss", "nll", "val_ece", "val_nll"} <= set(first.files)
    for name in first.files:
        np.testing.assert_array_equal(first[name], second[name])
        if name != "chain":  # Its steps of noise were of another size of batch.
            np.testing.assert_allclose(first[name], alone[name], atol=1e-5)


@pytest.mark.slow
def test_noise_is_of_a_worker_on_activations_and_of_all_on_weights(folder):
    own, shared = ([(folder / f"{kind}-{index}").read_text() for index in (0, 1)]
                   for kind in ("own", "shared"))
    assert shared[0] == shared[1]
    for mine, other in zip(own[0].splitlines(), own[1].splitlines(), strict=True):
        assert mine != other
    # One process is replica 0 of one: its draws are those of the first worker.
    assert (folder / "own-alone").read_text() == own[0]
    chain, again = (np.load(folder / f"{index}.npz")["chain"] for index in (0, 1))
    np.testing.assert_array_equal(chain, again)
