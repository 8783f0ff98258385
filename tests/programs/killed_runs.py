"""Runs in processes that are killed at random moments, and what is left of them."""

import contextlib
import multiprocessing
import pathlib
import signal
import time

import numpy as np

# Libraries are imported once; every run is a process of its own.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tensorflow", "tensorflow_probability", "keras",
                              "bdlzoo.runs"])
AGENTS = ("direct_policy_gradient", "dropout_q_network")
# A sampler, an ensemble, two optimisers, two networks against each other, dropout; and
# agents, whose data are what they did before.
METHODS = ("sgld", "deep_ensemble", "dbsn", "adversarial_posterior_distillation",
           "mc_dropout", *AGENTS)
EPOCHS = 6


def train(method, workdir, epochs=EPOCHS):
    """Trains a small config to the end, from where it was before."""
    import tensorflow as tf

    from bdlzoo import runs

    tf.config.experimental.enable_op_determinism()
    room = "worlds" if method in AGENTS else "digits"
    config = runs.read_config(f"{room}/{method}.py", "smoke")
    with config.unlocked():
        config.epochs = epochs
        if method in AGENTS:
            config.episodes = 64 * epochs
        if method == "sgld":
            config.method.sample_file = str(pathlib.Path(workdir, "samples"))
    runs.open_run(config, workdir).complete(verbose=0)


def start(method, workdir, epochs=EPOCHS):
    """Starts `train` in a process of its own."""
    process = FORKS.Process(target=train, args=(method, str(workdir), epochs))
    process.start()
    return process


def finish(method, workdir):
    """Trains without a kill; returns the seconds."""
    first = FORKS.Process(target=int)  # The imports are not part of them.
    first.start()
    first.join()
    begin = time.monotonic()
    process = start(method, workdir)
    process.join()
    assert process.exitcode == 0, f"{method} in {workdir} ended with an error"
    return time.monotonic() - begin


def kill_once(method, workdir, seconds, in_write):
    """Starts a run and kills it.

    Args:
        method: String, one of `METHODS`.
        workdir: Folder of the run.
        seconds: Float, time until the kill.
        in_write: Bool, whether to wait further for a file that is being written.

    Returns:
        Whether the run was killed before its end.
    """
    process = start(method, workdir)
    process.join(seconds)
    while in_write and process.is_alive() and not _being_written(workdir):
        time.sleep(0.0005)
    process.kill()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL), f"{method} ended with an error"
    return process.exitcode != 0


def _being_written(workdir):
    with contextlib.suppress(OSError):  # Folders come and go.
        return any(pathlib.Path(workdir).rglob(".part-*"))
    return False


def state(workdir):
    """All that a finished run has learnt: arrays and texts by name."""
    from bdlzoo import runs

    model = runs.reopen(workdir).model
    found = {f"weight {i}": np.asarray(w) for i, w in enumerate(model.weights)}
    for name in model.optimizer_names:
        for i, weight in enumerate(getattr(model, name).variables):
            found[f"{name} {i}"] = np.asarray(weight)
    samples = pathlib.Path(workdir, "samples")
    if samples.exists():
        found["samples"] = np.frombuffer(samples.read_bytes(), "uint8")
    for name in ("history.csv", "metrics.json"):
        found[name] = pathlib.Path(workdir, name).read_text()
    return found


def assert_same(first, second):
    """Raises where two states differ in a bit."""
    assert set(first) == set(second)
    for name, value in first.items():
        if isinstance(value, str):
            assert value == second[name], name
        else:
            np.testing.assert_array_equal(value, second[name], err_msg=name)


def left_over(workdir):
    """Paths of files and folders that only a writer that was killed leaves."""
    return [path for path in pathlib.Path(workdir).rglob("*")
            if path.name.startswith((".part-", "tmp"))]
