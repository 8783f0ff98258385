"""Batches are checked one by one, in their order, where they are asked for."""

import gc
import threading

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.model.guarded_dataset import GuardedDataset

X = np.arange(24.0, dtype="float32").reshape(12, 2)
BATCHES = tf.data.Dataset.from_tensor_slices({"x": X, "y": np.arange(12)}).batch(2)


def _guarded(looks, doubtful=(), data=BATCHES):
    """Batches, of which those with such numbers are not sure."""
    def is_sure(batch):
        return tf.reduce_all([batch["y"][0] != number for number in (-1, *doubtful)])

    return GuardedDataset(data, is_sure, lambda *seen: looks.append(seen))


def test_batches_stay_what_they_are_and_only_doubtful_ones_are_looked_at():
    looks = []
    found = _guarded(looks, doubtful=(4, 8))
    gc.collect()
    assert found.element_spec == BATCHES.element_spec
    assert found.cardinality() == len(BATCHES)
    for one, other in zip(found, BATCHES, strict=True):
        tf.nest.map_structure(np.testing.assert_array_equal, one, other)
    assert [place for _, place in looks] == [2, 4]
    np.testing.assert_array_equal(looks[1][0]["x"], X[8:10])


def test_error_of_a_look_is_raised_before_its_batch():
    seen = []

    def look(batch, place):
        raise ValueError(f"place {place}")

    data = GuardedDataset(BATCHES, lambda batch: batch["y"][0] != 6, look)
    with pytest.raises(tf.errors.OpError, match="place 3"):
        for batch in data:
            seen.append(batch)
    assert len(seen) == 3


def test_next_batch_is_not_made_before_it_is_asked_for():
    asked, looks = [], []

    def generate():
        for place in range(6):
            asked.append(threading.get_ident())
            yield {"y": np.array([place])}

    data = tf.data.Dataset.from_generator(generate, output_signature={
        "y": tf.TensorSpec([None], tf.int64)})
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    found = iter(_guarded(looks, range(6), data.with_options(options)))
    next(found)
    assert len(asked) == len(looks) == 1


def test_structures_hold_none_and_options_are_kept():
    options = tf.data.Options()
    options.deterministic = False
    data = tf.data.Dataset.from_tensors((None, {"y": [1]})).with_options(options)
    looks = []
    found = GuardedDataset(data, lambda batch: tf.constant(False),
                           lambda *seen: looks.append(seen))
    [(none, rest)] = found
    assert none is None and rest["y"] == 1 and looks[0][0][0] is None
    assert found.options().deterministic is False


def test_checks_may_have_branches():
    def is_sure(batch):
        return tf.cond(batch["y"][0] > 5, lambda: batch["y"][0] < 8, lambda: True)

    looks = []
    for _ in GuardedDataset(BATCHES, tf.function(is_sure),
                            lambda batch, place: looks.append(place)):
        pass
    assert looks == [4, 5]


def test_resources_that_a_check_reads_are_read_when_it_runs():
    most, looks = tf.Variable(100.0), []
    found = GuardedDataset(BATCHES, lambda batch: tf.reduce_max(batch["x"]) < most,
                           lambda batch, place: looks.append(place))
    for values in (found, found):
        for _ in values:
            pass
        most.assign(12.0)
    assert looks == [3, 4, 5]
