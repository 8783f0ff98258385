"""Strategies by name, and who writes."""

import json

import pytest
import tensorflow as tf

from bdlzoo.core import strategies


class _Workers(tf.distribute.MultiWorkerMirroredStrategy):
    """One of several workers, without the others."""

    def __init__(self, kind, index, *jobs):
        spec = tf.train.ClusterSpec({job: ["127.0.0.1:1"] * 2 for job in jobs})
        self._resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
            spec, task_type=kind, task_id=index)

    @property
    def cluster_resolver(self):
        return self._resolver


def test_strategies_by_name():
    assert strategies.make("none").num_replicas_in_sync == 1
    mirrored = strategies.make("mirrored")
    assert isinstance(mirrored, tf.distribute.MirroredStrategy)
    assert mirrored.num_replicas_in_sync == len(tf.config.list_logical_devices("CPU"))
    with pytest.raises(ValueError, match="one of .*'tpu'.*Received: strategy='gpu'"):
        strategies.make("gpu")


@pytest.mark.parametrize("text", [
    "", "{", "[]", json.dumps({"cluster": {"worker": ["127.0.0.1:1"]}}),
    json.dumps({"cluster": {"worker": []}, "task": {"type": "worker", "index": 0}})])
def test_workers_need_their_cluster(text, monkeypatch):
    monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises(ValueError, match="Expected the workers in TF_CONFIG"):
        strategies.make("multi_worker")


def test_absent_tpu_is_said(monkeypatch):
    def absent(tpu):
        raise ValueError(f"no TPU {tpu}\nat all")

    monkeypatch.setattr(tf.distribute.cluster_resolver, "TPUClusterResolver", absent)
    with pytest.raises(ValueError, match="tpu='mine', with the error: no TPU mine$"):
        strategies.make("tpu", "mine")


def test_first_worker_writes_unless_there_is_a_chief():
    assert strategies.is_chief(tf.distribute.get_strategy())
    assert strategies.is_chief(strategies.make("mirrored"))
    for worker, writes in ((("worker", 0, "worker"), True),
                           (("worker", 1, "worker"), False),
                           (("worker", 0, "chief", "worker"), False),
                           (("chief", 0, "chief", "worker"), True)):
        assert strategies.is_chief(_Workers(*worker)) == writes
