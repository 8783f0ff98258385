"""No two things that a model draws come from one stream of noise."""

import collections

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from tests import test_contract as contract
from tests.recorded_streams import recorded

@pytest.mark.slow
@pytest.mark.parametrize("method", contract.METHODS)
@pytest.mark.parametrize("replicas", [1, 2])
@pytest.mark.parametrize("draws", [1, 3])
def test_streams(monkeypatch, method, replicas, draws):
    config = contract._config(method)
    strategy = tf.distribute.MirroredStrategy(
        [f"CPU:{i}" for i in range(replicas)]) if replicas > 1 else (
        tf.distribute.get_strategy())
    with recorded(monkeypatch) as found, strategy.scope():
        with config.unlocked():
            if "num_train_samples" in config.method:
                config.method.num_train_samples = draws
        if issubclass(contract.KINDS[method], contract.PredictiveModel):
            with config.unlocked(): config.method.num_train_samples = draws
        x = contract.runs.load_data(config)["train"].x
        model = contract.runs.load_model(config, x.shape[1:], steps_per_execution=1)
        batches = tf.data.Dataset.from_tensor_slices(
            contract._rows(model, config)).batch(32, drop_remainder=True).repeat()
        model.build_once(tf.constant(x[:32]))
        found.clear()
        model.fit(batches, num_data=len(x), steps_per_epoch=2, verbose=0)
        n = len(found)
        rep = found.repeated()
        both = found.on(0) & found.on(1)
        print("TRAIN", method, replicas, draws, "uses", n, "repeated", len(rep), collections.Counter((u.kind,c) for u,c in rep.items()), "shared", len(both))
        found.clear()
        if hasattr(model, "sample_outputs"):
            try:
                model.sample_outputs(x[:8], draws, seed=5)
                rep = found.repeated()
                print("PREDICT", method, len(found), len(rep), collections.Counter((u.kind,c) for u,c in rep.items()))
            except Exception as e: print("ERR", e)
        else: print("NO sample", method)
