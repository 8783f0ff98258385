"""Weights that are no numbers: they end a training, and reach no file."""

import keras
import numpy as np
import pytest

from bdlzoo.methods import SGLD, Deterministic
from bdlzoo.model import checkpoint
from bdlzoo.networks import MLP

RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 4)).astype("float32")
Y = RNG.integers(0, 3, 64)


def _model(rate=0.01):
    model = Deterministic(MLP((4,), (8,), 3), seed=0)
    model.compile(keras.optimizers.SGD(rate))
    return model


def _broken(value):
    model = _model()
    model.fit(X, Y, verbose=0)
    kernel = model.network.trainable_variables[0]
    kernel.assign(np.where(np.eye(*kernel.shape), value, kernel))
    return model


def test_infinite_rate_in_a_run_of_one_step_is_seen():
    with pytest.raises(FloatingPointError, match="weights.*epoch 1.*no checkpoint"):
        _model(float("inf")).fit(X, Y, batch_size=64, verbose=0)


def test_last_good_checkpoint_is_named_and_nothing_is_restored(tmp_path):
    class Break(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch == 2:
                kernel = self.model.network.trainable_variables[0]
                kernel.assign(np.full(kernel.shape, np.nan))

    model = _model()
    with pytest.raises(FloatingPointError, match="epoch 3.*epoch-00002.weights.h5"):
        model.fit(X, Y, epochs=5, verbose=0, checkpoint_dir=tmp_path,
                  callbacks=[Break()])
    assert np.isnan(model.network.trainable_variables[0]).all()
    assert [p.name for p in checkpoint.finished(tmp_path)] == [
        "epoch-00001.weights.h5", "epoch-00002.weights.h5"]


def test_loss_that_is_no_number_needs_no_checkpoint_to_be_seen():
    class Nan(Deterministic):
        def with_prior(self, *args):
            logs = super().with_prior(*args)
            return {**logs, "loss": 0.0 * logs["loss"] + np.nan}

    model = Nan(MLP((4,), (8,), 3))
    model.compile(keras.optimizers.SGD(0.0))
    with pytest.raises(FloatingPointError, match="loss of epoch 1 is nan"):
        model.fit(X, Y, verbose=0)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_such_a_model_is_not_saved_nor_exported(tmp_path, value):
    model = _broken(value)
    kept = tmp_path / "model.keras"
    kept.write_text("old")
    for write in (lambda: model.save(kept),
                  lambda: model.save_weights(tmp_path / "a.weights.h5"),
                  lambda: model.export(tmp_path / "served")):
        with pytest.raises(FloatingPointError, match="finite weights.*kernel"):
            write()
    assert kept.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["model.keras"]


def test_unfitted_thresholds_are_infinite_and_no_fault(tmp_path):
    model = _model()
    model.fit(X, Y, verbose=0)
    assert np.isinf(model.calibration.threshold.numpy()).all()
    model.save(tmp_path / "model.keras")
    model.calibration.temperature.assign(np.nan)
    with pytest.raises(FloatingPointError, match="temperature"):
        model.save(tmp_path / "model.keras")


def test_kept_samples_are_looked_at_when_they_are_saved(tmp_path):
    model = SGLD(MLP((4,), (8,), 3), num_kept=3)
    model.compile(keras.optimizers.SGD(1e-4))
    model.fit(X, Y, verbose=0)
    model.samples.assign(np.full(model.samples.shape, np.nan))
    with pytest.raises(FloatingPointError, match="samples"):
        model.save(tmp_path / "model.keras")


@pytest.mark.parametrize("compiled", [True, False])
def test_sampler_without_a_sample_does_not_predict(compiled):
    model = SGLD(MLP((4,), (8,), 3))
    if compiled:
        model.compile("sgd")
    with pytest.raises(ValueError, match="Expected a kept sample"):
        model.predict(X, verbose=0)
    with pytest.raises(ValueError, match="Expected a kept sample"):
        model.predict(iter([(X,)]), verbose=0)
