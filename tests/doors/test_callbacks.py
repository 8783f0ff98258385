"""Stock callbacks of Keras do what they do in Keras."""

import keras
import numpy as np
import pytest
from keras import callbacks as stock

from bdlzoo.methods import DeepEnsemble, MCDropout
from bdlzoo.model import steps_per_call
from tests.doors import small_networks as small

X, Y = small.numbers(rows=32), small.labels(32)
KINDS = (MCDropout, DeepEnsemble)


def _model(kind, optimizer=None):
    count = "num_members" if kind is DeepEnsemble else "num_samples"
    model = kind(small.mlp(), seed=1, **{count: 2})
    model.compile(optimizer or keras.optimizers.SGD(0.1))
    return model


def _fit(model, *callbacks, epochs=1, **kwargs):
    return model.fit(X, Y, batch_size=8, epochs=epochs, verbose=0,
                     callbacks=list(callbacks), **kwargs)


def test_callbacks_of_batches_are_called_after_each():
    seen = []
    model = _model(MCDropout)
    _fit(model, stock.LambdaCallback(
        on_train_batch_end=lambda batch, logs: seen.append(batch)))
    assert seen == [0, 1, 2, 3]
    _fit(model)
    assert model.steps_per_execution == 4


@pytest.mark.parametrize("callback, every", [
    (stock.ModelCheckpoint("a.keras"), False),
    (stock.ModelCheckpoint("a.keras", save_freq=2), True),
    (stock.TensorBoard("a"), False), (stock.TensorBoard("a", update_freq=1), True),
    (stock.BackupAndRestore("a"), False), (stock.EarlyStopping(), False),
    (stock.BackupAndRestore("a", save_freq=3), True), (stock.CSVLogger("a"), False),
    (stock.TerminateOnNaN(), False), (stock.SwapEMAWeights(), False),
    (stock.LambdaCallback(on_epoch_end=print), False)])
def test_only_callbacks_of_batches_cost_calls(callback, every):
    assert steps_per_call._acts_on_batches(callback) == every


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
class TestEach:
    """Each of them, on a model with draws and on one with members."""

    def test_early_stopping_restores_the_best_weights(self, kind):
        model, seen = _model(kind), []
        _fit(model, stock.LambdaCallback(
            on_epoch_end=lambda epoch, logs: seen.append(model.get_weights())),
            stock.EarlyStopping(patience=1, min_delta=10.0, restore_best_weights=True),
            epochs=6, validation_data=(X, Y))
        assert len(seen) == 2
        kernels = [w for w in seen[0] if w.ndim > 1]
        found = [w for w in model.get_weights() if w.ndim > 1]
        for a, b in zip(kernels, found, strict=True):
            np.testing.assert_array_equal(a, b)

    def test_checkpoints_hold_the_model_or_its_weights(self, kind, tmp_path):
        model = _model(kind)
        whole, weights = tmp_path / "a.keras", tmp_path / "a.weights.h5"
        _fit(model, stock.ModelCheckpoint(whole),
             stock.ModelCheckpoint(weights, save_weights_only=True))
        expected = model.predict(X, verbose=0)
        _fit(model)
        assert np.abs(model.predict(X, verbose=0) - expected).max() > 1e-4
        np.testing.assert_allclose(keras.saving.load_model(whole).predict(
            X, verbose=0), expected, atol=1e-6)
        model.load_weights(weights)
        np.testing.assert_allclose(model.predict(X, verbose=0), expected, atol=1e-6)

    def test_checkpoints_of_batches_are_all_written(self, kind, tmp_path):
        _fit(_model(kind), stock.ModelCheckpoint(
            tmp_path / "{epoch}-{batch}.weights.h5", save_weights_only=True,
            save_freq=2))
        assert len(list(tmp_path.iterdir())) == 2

    def test_learning_rates_are_changed(self, kind):
        model = _model(kind)
        _fit(model, stock.ReduceLROnPlateau(patience=1, min_delta=10.0, factor=0.5),
             epochs=3, validation_data=(X, Y))
        np.testing.assert_allclose(float(model.optimizer.learning_rate), 0.025)
        logs = _fit(model, stock.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1)),
                    epochs=2).history
        np.testing.assert_allclose(logs["learning_rate"], [0.1, 0.05], rtol=1e-6)

    def test_logs_are_written(self, kind, tmp_path):
        _fit(_model(kind), stock.CSVLogger(tmp_path / "log.csv"),
             stock.TensorBoard(tmp_path / "board", histogram_freq=1),
             stock.ProgbarLogger(), epochs=2, validation_data=(X, Y))
        assert len((tmp_path / "log.csv").read_text().splitlines()) == 3
        assert {p.name for p in (tmp_path / "board").iterdir()} == {
            "train", "validation"}

    def test_broken_run_goes_on_where_it_was(self, kind, tmp_path):
        def stop(epoch, logs):
            if epoch == 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            _fit(_model(kind), stock.BackupAndRestore(tmp_path),
                 stock.LambdaCallback(on_epoch_begin=stop), epochs=4)
        model = _model(kind)
        assert _fit(model, stock.BackupAndRestore(tmp_path), epochs=4).epoch == [2, 3]
        assert int(model.optimizer.iterations) == 16

    def test_nan_ends_the_training(self, kind):
        model = _model(kind)
        history = model.fit(1e30 * X, Y, epochs=9, verbose=0,
                            callbacks=[stock.TerminateOnNaN()])
        assert len(history.epoch) < 9

    def test_averages_of_weights_are_evaluated(self, kind):
        model = _model(kind, keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.9))
        after_steps, evaluated = [], []

        def record(place):
            place.append([w.numpy() for w in model.trainable_variables])

        _fit(model, stock.SwapEMAWeights(), stock.LambdaCallback(
            on_train_batch_end=lambda batch, logs: record(after_steps),
            on_test_begin=lambda logs: record(evaluated)), validation_data=(X, Y))
        expected, *later = after_steps
        for weights in later:
            expected = [0.9 * a + 0.1 * b for a, b in zip(expected, weights)]
        assert len(later) == 3 and np.abs(expected[0] - later[-1][0]).max() > 1e-4
        for a, b in zip(expected, evaluated[0], strict=True):
            np.testing.assert_allclose(a, b, atol=1e-6)
