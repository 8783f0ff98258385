"""What all models of agreement share."""

import math

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import Deterministic, MeanTeacher, PiModel, TemporalEnsembling
from tests.families.consistency_cases import MORE, X, Y, compiled, fitted, network
from tests.killed_fit import whole_and_resumed

KINDS = [PiModel, TemporalEnsembling, MeanTeacher]
SOME = [MeanTeacher, *(pytest.param(kind, marks=pytest.mark.slow)
                       for kind in (PiModel, TemporalEnsembling))]


def _assert_equal(first, second):
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", KINDS)
def test_weight_0_is_supervised_training_to_the_bit(kind):
    model, _ = fitted(compiled(kind, dropout=0.5, normalised=True,
                               consistency_weight=0.0), epochs=2)
    plain = Deterministic(network(0.5, True), seed=3)
    plain.compile(keras.optimizers.SGD(0.1))
    # As many steps: here an epoch has one.
    plain.fit(X, Y, batch_size=8, shuffle=False, epochs=6, verbose=0)
    _assert_equal(model.network.get_weights(), plain.network.get_weights())


@pytest.mark.parametrize("kind", SOME)
def test_weight_0_needs_no_rows_without_labels(kind):
    model = compiled(kind, consistency_weight=0.0)
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)
    assert np.isfinite(model.fit(data, verbose=0).history["loss"][0])


def test_loss_is_nll_of_labels_and_ramped_agreement():
    model = compiled(PiModel, rate=0.0, dropout=0.5, consistency_weight=7.0,
                     ramp_steps=6)
    _, logs = fitted(model, epochs=2, steps_per_epoch=1)
    for epoch in range(2):
        ramp = 7.0 * math.exp(-5.0 * (1.0 - epoch / 6) ** 2)
        assert logs["loss"][epoch] == pytest.approx(
            logs["nll"][epoch] + ramp * logs["consistency"][epoch], rel=1e-5)
        assert logs["consistency"][epoch] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_labels_and_agreement_count_by_their_own_rows(kind):
    """Without noise and steps, nll is that of labelled rows, and nothing disagrees."""
    model = compiled(kind, rate=0.0, labelled_batch=2)
    _, logs = fitted(model, steps_per_epoch=1)
    log_probs = np.log(model.predict(X[:2], verbose=0))
    assert logs["nll"][0] == pytest.approx(
        -np.mean(log_probs[np.arange(2), Y[:2]]), rel=1e-5)
    assert logs["consistency"][0] == pytest.approx(0.0, abs=1e-12)


def test_agreement_is_that_of_all_rows():
    model = compiled(PiModel, rate=0.0, dropout=0.5)
    seen = {}
    gaps = model.gaps

    def spied(probabilities, x, key, rows):
        seen.update(shape=probabilities.shape, rows=x.shape[0])
        return gaps(probabilities, x, key, rows)

    model.gaps = spied
    fitted(model, batch_size=4)
    assert seen == {"shape": (2, 8, 4), "rows": 8}  # 4 with labels, 4 without.


@pytest.mark.parametrize("kind", SOME)
def test_noise_of_every_kind_makes_disagreement(kind):
    for noise in ({"dropout": 0.5}, {"input_noise": 0.5},
                  {"augmentation": keras.layers.GaussianNoise(0.5)}):
        _, logs = fitted(compiled(kind, rate=0.0, **noise), epochs=2)
        assert logs["consistency"][-1] > 1e-4, noise


def test_augmentation_and_noise_are_those_of_the_step():
    """Of the model's seed and its step, whatever seed the layer has."""
    def weights(seed, layer_seed):
        model = compiled(PiModel, augmentation=[
            {"type": "GaussianNoise", "stddev": 0.3, "seed": layer_seed}])
        model.seed = seed
        return fitted(model, steps_per_epoch=1)[0].network.get_weights()

    _assert_equal(weights(3, 1), weights(3, 2))
    assert (weights(3, 1)[0] != weights(4, 1)[0]).any()


def test_input_noise_has_its_scale():
    model = compiled(PiModel, input_noise=0.25)
    rows = model.perturbed(tf.zeros([2000, 3]), model.step_keys()[1])
    assert np.std(rows) == pytest.approx(0.25, rel=0.03)


@pytest.mark.parametrize("kind", SOME)
def test_predictions_are_points_or_draws(kind):
    model, _ = fitted(compiled(kind, dropout=0.5))
    assert float(np.max(model.predict_uncertainty(X).mutual_information)) < 1e-6
    draws, _ = fitted(compiled(kind, dropout=0.5, predictor="draws", num_samples=8))
    assert float(np.min(draws.predict_uncertainty(X).mutual_information)) > 1e-6
    np.testing.assert_allclose(model.predict(X, verbose=0), tf.nn.softmax(
        model.point_network(X, training=False)), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_kill_in_mid_epoch_changes_no_bit(kind, tmp_path):
    """Teacher and targets come back, and the ramp goes on where it was."""
    def model():
        made = kind(network(0.5, True), seed=3, ramp_steps=7, num_samples=2,
                    input_noise=0.1)
        made.compile(keras.optimizers.Adam(0.01), steps_per_execution=1)
        return made

    # After the second step of the second epoch of three.
    _, resumed = whole_and_resumed(model, lambda each, **options: fitted(
        each, epochs=3, **options), tmp_path, 5)
    assert int(resumed.optimizer.iterations) == 9
    if kind is TemporalEnsembling:
        np.testing.assert_array_equal(resumed.row_targets.counts[8:], 3.0)


@pytest.mark.parametrize("kind", SOME)
def test_file_keeps_everything(kind, tmp_path):
    model, _ = fitted(compiled(kind, dropout=0.5, augmentation=[
        keras.layers.GaussianNoise(0.1)], input_noise=0.1, labelled_batch=4))
    model.save(tmp_path / "model.keras")
    other = keras.saving.load_model(tmp_path / "model.keras")
    _assert_equal(model.get_weights(), other.get_weights())
    assert other.augmentation.layers[0].stddev == 0.1
    for each in (model, other):
        fitted(each)
    _assert_equal(model.get_weights(), other.get_weights())


@pytest.mark.parametrize("kind", SOME)
@pytest.mark.parametrize("options, words", [
    ({"unlabelled": None}, "Expected rows without labels.*unlabelled=None"),
    ({"unlabelled": MORE[:, :2]}, "unlabelled of shapes"),
    ({"unlabelled": MORE[:0]}, "at least one row")])
def test_sets_that_do_not_fit_are_refused(kind, options, words):
    with pytest.raises(ValueError, match=words):
        fitted(compiled(kind), **options)


def test_more_labels_than_rows_are_refused():
    with pytest.raises(ValueError, match="rows of inputs .7., rows of targets .8."):
        compiled(PiModel).fit(X[:7], Y, unlabelled=MORE)


@pytest.mark.parametrize("arguments, words", [
    ({"consistency_weight": -1.0}, "consistency_weight=-1.0"),
    ({"input_noise": -0.1}, "input_noise=-0.1"),
    ({"labelled_batch": 0}, "labelled_batch=0"),
    ({"predictor": "teacher"}, "network, draws. Received: predictor='teacher'"),
    ({"likelihood": "gaussian"}, "likelihood=Gaussian"),
    ({"ramp_steps": -1}, "ramp_steps=-1"),
    ({"augmentation": 3}, "augmentation=3")])
def test_impossible_arguments_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        compiled(PiModel, **arguments)


def test_augmentation_that_changes_shapes_is_refused():
    with pytest.raises(ValueError, match=r"keeps the shape.*\(5,\)"):
        compiled(PiModel, augmentation=keras.layers.Dense(5)).build((None, 3))


def test_outputs_with_positions_are_refused():
    sequence = keras.Sequential([keras.Input((5, 3)), keras.layers.Dense(4)])
    with pytest.raises(ValueError, match="agreement is that of rows"):
        PiModel(sequence).build((None, 5, 3))
