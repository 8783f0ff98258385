"""Temporal ensembling: targets of rows."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import TemporalEnsembling
from tests.families.consistency_cases import MORE, X, Y, compiled, fitted, network

RATE, DECAY = 0.5, 0.6


def test_steps_are_those_of_the_formula():
    """Three epochs of one step on all rows, against plain arithmetic."""
    model, _ = fitted(compiled(TemporalEnsembling, RATE, consistency_weight=5.0,
                               decay=DECAY), unlabelled=MORE[:8], epochs=3)
    other, rows = network(), np.concatenate([X, MORE[:8]])
    average = 0.0
    for count in range(3):
        with tf.GradientTape() as tape:
            logits = other(rows)
            now = tf.nn.softmax(logits)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                Y, logits[:8]))
            if count:
                target = average / (1.0 - DECAY**count)
                loss += 5.0 * tf.reduce_mean((now - target) ** 2)
        slopes = tape.gradient(loss, other.trainable_variables)
        for weight, slope in zip(other.trainable_variables, slopes):
            weight.assign_sub(RATE * slope)
        average = DECAY * average + (1.0 - DECAY) * now.numpy()
    for a, b in zip(model.network.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)
    np.testing.assert_allclose(model.row_targets.averages, average, atol=1e-6)
    np.testing.assert_array_equal(model.row_targets.counts, 3)


def test_rows_are_counted_by_their_numbers():
    """Labelled rows first: here in each of three steps, the others once."""
    model, _ = fitted(compiled(TemporalEnsembling, 0.0))
    np.testing.assert_array_equal(model.row_targets.counts, [3] * 8 + [1] * 24)
    model, _ = fitted(compiled(TemporalEnsembling, 0.0), steps_per_epoch=2)
    np.testing.assert_array_equal(model.row_targets.counts,
                                  [2] * 8 + [1] * 16 + [0] * 8)


def test_targets_are_those_of_their_rows():
    """In any order: without noise and steps they are the predictions."""
    model, _ = fitted(compiled(TemporalEnsembling, 0.0), shuffle=True, batch_size=4)
    rows = np.concatenate([X, MORE])
    targets, known = model.row_targets.read(tf.range(32))
    known = np.asarray(known)
    assert known.sum() == 32
    np.testing.assert_allclose(targets, model.predict(rows, verbose=0), atol=1e-6)


def test_table_is_in_files_and_not_exported(tmp_path):
    model, _ = fitted(compiled(TemporalEnsembling))
    model.save_weights(tmp_path / "x.weights.h5")
    other = compiled(TemporalEnsembling)
    other.build((None, 3))
    other.load_weights(tmp_path / "x.weights.h5")
    np.testing.assert_array_equal(model.row_targets.averages,
                                  other.row_targets.averages)
    assert model.row_targets not in model.served_parts()


def test_dataset_is_refused():
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)
    with pytest.raises(ValueError, match="a dataset without numbers of rows"):
        compiled(TemporalEnsembling).fit(data, unlabelled=MORE, verbose=0)
    with pytest.raises(ValueError, match="a dataset without numbers of rows"):
        compiled(TemporalEnsembling).fit(
            X, Y, unlabelled=tf.data.Dataset.from_tensor_slices(MORE).batch(4))


def test_other_rows_in_a_second_fit_are_refused():
    model, _ = fitted(compiled(TemporalEnsembling))
    with pytest.raises(ValueError, match="first `fit`, 32 .*Received: 24 rows"):
        fitted(model, unlabelled=MORE[:16])


@pytest.mark.parametrize("decay", [-0.1, 1.0])
def test_impossible_decay_is_refused(decay):
    with pytest.raises(ValueError, match=f"decay={decay}"):
        TemporalEnsembling(network(), decay=decay)
