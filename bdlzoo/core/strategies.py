"""Strategies of `tf.distribute` by name, which say where a training runs.

    none            one device, this process
    mirrored        all GPUs of this machine, or all logical devices of its CPU
    multi_worker    the processes that the variable `TF_CONFIG` lists
    tpu             the cores of a TPU

Make a strategy before anything else is computed, and build models inside its scope.
"""

import json
import os

import tensorflow as tf

NAMES = ("none", "mirrored", "multi_worker", "tpu")


def make(name, tpu="local"):
    """Makes the strategy of a name.

    Args:
        name: String, one of `NAMES`.
        tpu: String, name or address of the TPU.

    Returns:
        `tf.distribute.Strategy`.
    """
    if name == "none":
        return tf.distribute.get_strategy()
    if name == "mirrored":
        devices = tf.config.list_logical_devices("GPU")
        # On CPUs collectives need a network port; a reduction to one device does not.
        return tf.distribute.MirroredStrategy() if devices else (
            tf.distribute.MirroredStrategy(
                [device.name for device in tf.config.list_logical_devices("CPU")],
                tf.distribute.ReductionToOneDevice()))
    if name == "multi_worker":
        _check_cluster(os.environ.get("TF_CONFIG", ""))
        return tf.distribute.MultiWorkerMirroredStrategy()
    if name == "tpu":
        return _tpu(tpu)
    raise ValueError(f"Expected one of {NAMES}. Received: strategy={name!r}")


def is_chief(strategy):
    """Returns whether this process writes the files of all workers."""
    if not isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy):
        return True
    resolver = strategy.cluster_resolver
    first = "chief" if "chief" in resolver.cluster_spec().jobs else "worker"
    return (resolver.task_type, resolver.task_id) == (first, 0)


def _check_cluster(text):
    try:
        config = json.loads(text)
        known = len(config["cluster"]["worker"]) and config["task"]["index"] >= 0
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise ValueError(
            "Expected the workers in TF_CONFIG, such as {\"cluster\": {\"worker\": "
            "[\"127.0.0.1:12345\", \"127.0.0.1:12346\"]}, \"task\": {\"type\": "
            "\"worker\", \"index\": 0}}, with a different index in each process; or "
            f"use `--supervise`, which starts them. Received: TF_CONFIG={text!r}")


def _tpu(name):
    try:
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu=name)
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
    except (ValueError, tf.errors.OpError) as error:
        raise ValueError("Expected a TPU: give its name, or \"local\" on a machine "
                         f"with a TPU. Received: tpu={name!r}, with the error: "
                         f"{str(error).splitlines()[0]}") from error
    return tf.distribute.TPUStrategy(resolver)
