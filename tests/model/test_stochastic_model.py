"""The loop: order, resume, counting, and what it refuses."""

import shutil

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise, strategies
from bdlzoo.methods import Deterministic, MCDropout
from bdlzoo.model import StochasticModel, checkpoint
from bdlzoo.networks import MLP
from tests.model.toy_models import Adversaries, assert_equal, compiled, weights

RNG = np.random.default_rng(0)
X = RNG.normal(size=(70, 4)).astype("float32")
Y = RNG.integers(0, 3, 70).astype("int32")


def _model(**kwargs):
    keras.utils.set_random_seed(1)
    model = MCDropout(MLP((4,), (8,), 3, dropout=0.3), seed=5, **kwargs)
    model.compile(keras.optimizers.Adam(0.01))
    return model


def _weights(model):
    return [w.numpy() for w in (*model.weights, *model.optimizer.variables)]


def _assert_equal(first, second):
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


def test_two_runs_of_one_seed_are_equal_to_the_last_bit():
    runs = []
    for _ in range(2):
        model = _model()
        model.fit(X, Y, batch_size=16, epochs=3, verbose=0)
        runs.append(_weights(model))
    _assert_equal(*runs)


def test_resumed_run_is_equal_to_the_last_bit(tmp_path):
    whole, first, second = _model(), _model(), _model()
    logs = whole.fit(X, Y, batch_size=16, epochs=4, verbose=0).history
    first.fit(X, Y, batch_size=16, epochs=2, verbose=0, checkpoint_dir=tmp_path)
    second.fit(X, Y, batch_size=16, epochs=4, verbose=0, checkpoint_dir=tmp_path)
    _assert_equal(_weights(whole), _weights(second))
    assert second.history.history["loss"] == logs["loss"][2:]


def test_finished_run_is_not_trained_again(tmp_path):
    model = _model()
    model.fit(X, Y, epochs=2, verbose=0, checkpoint_dir=tmp_path)
    before = _weights(model)
    model.fit(X, Y, epochs=2, verbose=0, checkpoint_dir=tmp_path)
    _assert_equal(before, _weights(model))


def test_damaged_checkpoint_is_named_and_the_one_before_it_serves(tmp_path):
    _model().fit(X, Y, batch_size=16, epochs=3, verbose=0, checkpoint_dir=tmp_path)
    older, last = checkpoint.finished(tmp_path)
    last.write_bytes(last.read_bytes()[:1000])
    with pytest.raises(ValueError, match=f"Delete the file.*{last.name}"):
        _model().fit(X, Y, epochs=4, verbose=0, checkpoint_dir=tmp_path)
    last.unlink()
    resumed, whole = _model(), _model()
    resumed.fit(X, Y, batch_size=16, epochs=4, verbose=0, checkpoint_dir=tmp_path)
    whole.fit(X, Y, batch_size=16, epochs=4, verbose=0)
    _assert_equal(_weights(whole), _weights(resumed))


def test_half_written_checkpoint_is_no_checkpoint(tmp_path):
    _model().fit(X, Y, epochs=1, verbose=0, checkpoint_dir=tmp_path)
    [path] = checkpoint.finished(tmp_path)
    shutil.copy(path, tmp_path / "part-epoch-00002.weights.h5")
    assert checkpoint.finished(tmp_path) == [path]


def test_checkpoint_of_another_network_is_refused(tmp_path):
    _model().fit(X, Y, epochs=1, verbose=0, checkpoint_dir=tmp_path)
    other = MCDropout(MLP((4,), (9,), 3, dropout=0.3))
    other.compile("adam")
    with pytest.raises(ValueError, match="checkpoint of this model"):
        other.fit(X, Y, epochs=2, verbose=0, checkpoint_dir=tmp_path)


def test_loss_that_is_no_number_ends_the_run_and_keeps_the_checkpoint(tmp_path):
    model = _model()
    model.fit(X, Y, epochs=1, verbose=0, checkpoint_dir=tmp_path)
    saved = checkpoint.finished(tmp_path)
    broken = _model()
    broken.compile(keras.optimizers.SGD(1e30))
    with pytest.raises(FloatingPointError, match="learning rate"):
        broken.fit(X, Y, epochs=3, verbose=0, checkpoint_dir=tmp_path / "other")
    assert checkpoint.finished(tmp_path) == saved
    assert checkpoint.finished(tmp_path / "other") == []


@pytest.mark.parametrize("data, options, expected", [
    ((X, Y), {}, 70), ((X, Y), {"validation_split": 0.25}, 53),
    ((X, Y), {"num_data": 1000}, 1000),
    ((tf.data.Dataset.from_tensor_slices((X, Y)).batch(7),), {}, 70),
    ((tf.data.Dataset.from_tensor_slices((X, Y)).batch(7).repeat(),),
     {"num_data": 70, "steps_per_epoch": 2}, 70)])
def test_num_data_is_read_from_the_data(data, options, expected):
    model = _model()
    model.fit(*data, verbose=0, **options)
    assert float(model.num_data) == expected


def test_num_data_of_the_constructor_wins_over_the_data():
    model = _model(num_data=500)
    model.fit(X, Y, verbose=0)
    assert float(model.num_data) == 500


def test_endless_data_need_num_data():
    endless = tf.data.Dataset.from_tensor_slices((X, Y)).batch(7).repeat()
    with pytest.raises(ValueError, match="num_data=\\)"):
        _model().fit(endless, steps_per_epoch=2, verbose=0)


def test_validation_split_holds_the_last_rows_out():
    model = _model()
    logs = model.fit(X, Y, validation_split=0.2, verbose=0).history
    held_out = model.evaluate(X[56:], Y[56:], verbose=0, return_dict=True)
    np.testing.assert_allclose(logs["val_nll"][0], held_out["nll"], rtol=1e-5)


def test_class_and_sample_weights_reach_the_loss():
    weight = np.where(Y == 0, 3.0, 0.0).astype("float32")
    losses = []
    for options in ({"sample_weight": weight},
                    {"class_weight": {0: 3.0, 1: 0.0, 2: 0.0}}):
        model = _model()
        losses.append(model.fit(X, Y, verbose=0, **options).history["nll"][0])
    np.testing.assert_allclose(*losses, rtol=1e-6)
    assert losses[0] != _model().fit(X, Y, verbose=0).history["nll"][0]


def test_regularisers_of_the_network_count():
    network = keras.Sequential([keras.Input((4,)), keras.layers.Dense(
        3, kernel_regularizer=keras.regularizers.L2(0.1))])
    model = Deterministic(network)
    model.compile(keras.optimizers.SGD(0.0))
    logs = model.fit(X, Y, batch_size=70, verbose=0).history
    np.testing.assert_allclose(logs["loss"][0] - logs["nll"][0],
                               0.1 * (network.get_weights()[0]**2).sum(), rtol=1e-4)


def test_uncompiled_model_says_so():
    with pytest.raises(ValueError, match="compile"):
        Deterministic(MLP((4,), (8,), 3)).fit(X, Y)


class _Noise(StochasticModel):
    """Its loss is one random number, so that noise can be read off."""

    def build(self, input_shape):
        self.scale = self.add_weight(name="scale", initializer="ones")

    def call(self, inputs):
        return inputs

    def objective(self, x, y, sample_weight, key):
        return {"loss": self.scale * noise.uniform([], key)}, None


def test_replicas_have_noise_of_their_own():
    with strategies.make("mirrored").scope():
        model = _Noise(seed=7)
        model.compile(keras.optimizers.SGD(0.0))
    loss = model.fit(X[:8], Y[:8], batch_size=8, verbose=0).history["loss"][0]
    step = noise.key(7, noise.TRAIN, 0)
    each = [float(noise.uniform([], noise.fold_in(step, 1 + i))) for i in (0, 1)]
    assert each[0] != each[1]
    np.testing.assert_allclose(loss, np.mean(each), rtol=1e-6)


def test_model_of_nothing_says_what_it_lacks():
    class Empty(StochasticModel):
        instead = {"export": "`save`"}

    model = Empty(seed=0)
    with pytest.raises(ValueError, match="has `evaluate`: a Empty has not.$"):
        model.scores(X, None, None)
    with pytest.raises(ValueError, match="has `export`.*Use `save`."):
        model.endpoints()
    with pytest.raises(NotImplementedError):
        model.objective(X, None, None, None)
    with pytest.raises(ValueError, match="Expected a built model"):
        model.export("nowhere")


def _adversaries():
    return compiled(Adversaries, keras.optimizers.SGD(0.1, momentum=0.9))


def test_two_losses_move_the_weights_of_their_own():
    """One step by hand: Adam's first step is its rate times a sign."""
    x, model = X[:8, :2], _adversaries()
    logs = model.fit(x, batch_size=8, shuffle=False, verbose=0).history
    seeds = noise.normal([8, 2], noise.key(5, noise.TRAIN, 0, 1)).numpy()
    fake = seeds @ np.ones((2, 2))
    scores = [np.tanh(rows.sum(axis=1)) for rows in (fake, x)]
    np.testing.assert_allclose(logs["generator_loss"][0], -scores[0].mean(), rtol=1e-4)
    np.testing.assert_allclose(
        logs["critic_loss"][0], scores[0].mean() - scores[1].mean(), rtol=1e-4)
    slopes = [1.0 - score**2 for score in scores]  # [B]
    np.testing.assert_allclose(
        model.generator.bias, np.full(2, 0.1 * slopes[0].mean()), rtol=1e-4)
    slope = (slopes[0][:, None] * fake).mean(axis=0) - (
        slopes[1][:, None] * x).mean(axis=0)
    np.testing.assert_allclose(
        model.critic.kernel.numpy()[:, 0], 1.0 - 0.001 * np.sign(slope), atol=1e-6)


def test_two_optimisers_are_saved_and_resumed_to_the_last_bit(tmp_path):
    options = {"batch_size": 8, "verbose": 0}
    whole, first, resumed = (_adversaries() for _ in range(3))
    whole.fit(X[:, :2], epochs=4, **options)
    first.fit(X[:, :2], epochs=2, checkpoint_dir=tmp_path / "run", **options)
    resumed.fit(X[:, :2], epochs=4, checkpoint_dir=tmp_path / "run", **options)
    assert_equal(weights(whole), weights(resumed))
    first.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert loaded.critic_optimizer.iterations.numpy() == 18
    assert_equal(weights(first), weights(loaded))
    loaded.fit(X[:, :2], epochs=4, initial_epoch=2, **options)
    assert_equal(weights(whole), weights(loaded))


def test_two_losses_on_two_devices_sum_to_those_of_one():
    class Still(Adversaries):
        def step_keys(self):  # The same noise on all replicas.
            shared, _ = super().step_keys()
            return shared, shared

    found, x = [], np.tile(X[:4, :2], (2, 1))  # Each replica has the same rows.
    for name in ("none", "mirrored"):
        with strategies.make(name).scope():
            model = Still(seed=5)
            model.compile(keras.optimizers.SGD(0.1), keras.optimizers.SGD(0.1))
        if name == "none":
            model.fit(x[:4], batch_size=4, shuffle=False, verbose=0)
        else:
            model.fit(x, batch_size=8, shuffle=False, verbose=0)
        found.append([w.numpy() for w in model.trainable_variables])
    for alone, together in zip(*found, strict=True):
        np.testing.assert_allclose(alone, together, atol=1e-6)


def test_loss_of_an_adversary_that_is_no_number_ends_the_run(tmp_path):
    model = compiled(Adversaries, keras.optimizers.SGD(float("inf")))
    with pytest.raises(FloatingPointError, match="critic_loss of epoch 1"):
        model.fit(X[:, :2], epochs=3, verbose=0, checkpoint_dir=tmp_path)


def _plain(strategy):
    keras.utils.set_random_seed(1)
    with strategy.scope():
        model = Deterministic(MLP((4,), (8,), 3), seed=5)
        model.compile(keras.optimizers.SGD(0.3))
    return model


def test_batches_that_do_not_divide_are_as_on_one_device():
    """Weights, means over rows, and a metric that is none: 13 rows are 7 and 6."""
    found = []
    for name in ("none", "mirrored"):
        model = _plain(strategies.make(name))
        logs = model.fit(X[:29], Y[:29], batch_size=16, epochs=2, verbose=0,
                         validation_data=(X[29:62], Y[29:62])).history
        found.append((_weights(model), logs))
    (alone, logs), (together, their_logs) = found
    for a, b in zip(alone, together, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)
    assert set(logs) == set(their_logs) and "val_ece" in logs
    for key in logs:
        np.testing.assert_allclose(logs[key], their_logs[key], rtol=1e-5)


def test_rows_that_are_too_few_for_all_replicas_are_left_out():
    model = _plain(strategies.make("mirrored"))
    assert model.drops_remainder(33, 16) and not model.drops_remainder(34, 16)
    with pytest.raises(ValueError, match="a row for each replica.*batch_size=1"):
        model.fit(X, Y, batch_size=1, verbose=0)
    alone = _plain(strategies.make("none"))
    assert not alone.drops_remainder(33, 16)
    # In datasets that others made, only the graph can see it.
    short = tf.data.Dataset.from_tensor_slices((X[:17], Y[:17])).batch(16)
    with pytest.raises(tf.errors.InvalidArgumentError, match="drop_remainder=True"):
        model.fit(short, num_data=17, verbose=0)


def test_compiling_for_replicas_on_cpus_is_refused():
    """TensorFlow cannot, with a plain Keras model either."""
    with strategies.make("mirrored").scope():
        model = Deterministic(MLP((4,), (8,), 3))
        model.compile("sgd")
        assert not model.jit_compile
        with pytest.raises(ValueError, match="jit_compile=False"):
            model.compile("sgd", jit_compile=True)
