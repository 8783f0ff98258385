"""What `fit` is given: with or without targets, and with sets beside the inputs."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise, strategies
from bdlzoo.model.training_data import TrainingData
from tests.model.toy_models import (
    Bandit,
    Density,
    Line,
    Policy,
    StillLine,
    assert_equal,
    compiled,
    weights,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(32, 4)).astype("float32")
Y = RNG.integers(0, 3, 32).astype("int32")
U = RNG.normal(size=(64, 4)).astype("float32")
W = np.linspace(0.0, 2.0, 32).astype("float32")


def _batches(*arrays, size=8):
    return tf.data.Dataset.from_tensor_slices(
        arrays if len(arrays) > 1 else arrays[0]).batch(size)


def _fitted(kind, *args, model=None, epochs=2, **kwargs):
    model = model or compiled(kind)
    model.fit(*args, epochs=epochs, batch_size=kwargs.pop("batch_size", None),
              verbose=0, **kwargs)
    return model


def _steps(model):
    return int(model.optimizer.iterations.numpy())


# Models without targets.

@pytest.mark.parametrize("data", [
    _batches(X), _batches(X).map(lambda x: (x,)), tf.constant(X)])
def test_inputs_alone_come_as_arrays_or_datasets(data):
    options = {"shuffle": False} if not isinstance(data, tf.data.Dataset) else {}
    model = _fitted(Density, data, batch_size=8 if options else None, **options)
    expected = np.zeros(4)
    for _ in range(2):
        for start in range(0, 32, 8):
            expected += 0.02 * (X[start:start + 8].mean(axis=0) - expected)
    np.testing.assert_allclose(model.mean, expected, atol=1e-6)


@pytest.mark.parametrize("held_out", [U, (U,), _batches(U), U.astype("float64")])
def test_validation_data_need_no_targets(held_out):
    model = compiled(Density)
    logs = model.fit(X, validation_data=held_out, verbose=0).history
    cost = 0.5 * np.sum((U - model.mean.numpy())**2, axis=1).mean()
    np.testing.assert_allclose(logs["val_loss"][0], cost, rtol=1e-5)


def test_validation_split_needs_no_targets():
    model = compiled(Density)
    logs = model.fit(X, validation_split=0.25, verbose=0).history
    assert float(model.num_data) == 24
    cost = 0.5 * np.sum((X[24:] - model.mean.numpy())**2, axis=1).mean()
    np.testing.assert_allclose(logs["val_loss"][0], cost, rtol=1e-5)


def test_weights_of_rows_count_without_targets():
    model = compiled(Density)
    logs = model.fit(X, sample_weight=W, batch_size=32, verbose=0,
                     validation_data=(X, None, W)).history
    np.testing.assert_allclose(
        logs["loss"][0], np.mean(W * 0.5 * np.sum(X**2, axis=1)), rtol=1e-5)
    cost = 0.5 * np.sum((X - model.mean.numpy())**2, axis=1)
    expected = np.average(cost, weights=W)
    assert abs(expected - cost.mean()) > 1e-3
    found = (model.evaluate(X, sample_weight=W, batch_size=5, verbose=0,
                            return_dict=True)["loss"], logs["val_loss"][0])
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(model.evaluate(
        X, verbose=0, return_dict=True)["loss"], cost.mean(), rtol=1e-5)


@pytest.mark.parametrize("kind, data, words", [
    (Density, (X, Y), "Expected inputs alone: a Density has no targets"),
    (Density, (_batches(X, Y),), "Expected inputs alone"),
    (Line, (X,), "Expected targets beside the inputs.*y=None"),
    (Line, (_batches(X),), "Expected targets beside the inputs")])
def test_targets_are_refused_or_demanded(kind, data, words):
    with pytest.raises(ValueError, match=words):
        compiled(kind).fit(*data)
    right = (X, Y) if kind is Line else (X,)
    model = _fitted(kind, *right)
    with pytest.raises(ValueError, match=words):
        model.evaluate(*data)
    before = _steps(model)
    with pytest.raises(ValueError, match=words):
        model.fit(*right, validation_data=data if len(data) > 1 else data[0])
    assert _steps(model) == before


def test_arrays_only_can_be_split():
    with pytest.raises(ValueError, match="arrays to split.*BatchDataset"):
        compiled(Density).fit(_batches(X), validation_split=0.5)
    with pytest.raises(ValueError, match="validation_split=1.5"):
        compiled(Density).fit(X, validation_split=1.5)


# Sets beside the inputs.

def _dicts(x):
    return {"b": x[:, :1], "a": x}


@pytest.mark.parametrize("data, side", [
    ((_batches(X, Y),), _batches(U)), ((X, Y), _batches(U)), ((_batches(X, Y),), U),
    ((_dicts(X), Y), _dicts(U)), ((_batches(_dicts(X), Y),), _dicts(U)),
    ((X, Y), _batches(U, np.zeros(64)))])
def test_sets_come_as_arrays_or_datasets(data, side):
    expected = _fitted(Line, X, Y, unlabelled=U, shuffle=False, batch_size=8)
    found = _fitted(Line, *data, unlabelled=side, shuffle=False, batch_size=8)
    assert _steps(found) == 2 * 8
    assert_equal(weights(expected), weights(found))


@pytest.mark.parametrize("options", [
    {}, {"target": U[:40]}, {"sample_weight": True}, {"validation_split": 0.25}])
def test_label_of_minus_one_is_a_row_without_label(options):
    marked = np.concatenate([Y, np.full(64, -1, "int32")])
    order = RNG.permutation(96)
    rows, labels = np.concatenate([X, U])[order], marked[order]
    weight = np.concatenate([W, np.ones(64, "float32")])[order]
    has_label, found = labels >= 0, []
    for one_array in (True, False):
        chosen = slice(None) if one_array else has_label
        sides = {} if one_array else {"unlabelled": rows[~has_label]}
        told = {**options, "sample_weight": weight[chosen]} if (
            "sample_weight" in options) else options
        model = _fitted(Line, rows[chosen], labels[chosen], batch_size=8, **sides,
                        **told)
        found.append([*weights(model), *model.history.history["loss"]])
    assert_equal(*found)


def test_numbers_below_zero_are_no_marks():
    y = np.where(Y == 0, -1.0, 1.0).astype("float32")
    data = TrainingData.of(compiled(Line), X, y)
    assert data.side == {} and data.rows == 32
    two = TrainingData.of(compiled(Line), X, np.where(Y == 0, -2, Y))
    assert two.side == {}
    plain = TrainingData.of(compiled(Policy), X, np.where(Y == 0, -1, Y))
    assert plain.side == {}  # A model that takes no rows without a label.


@pytest.mark.parametrize("rows, words", [
    ({"y": np.full(32, -1)}, "at least one row with a label.*32 rows, all"),
    ({"y": np.where(Y == 0, -1, Y), "unlabelled": U}, "in one place"),
    ({"y": np.where(Y == 0, -1, Y)[:30]}, "as many targets as inputs"),
    ({"y": np.where(Y == 0, -1, Y), "sample_weight": W[:30]}, "as many targets"),
    ({"y": Y.tolist()}, "Expected arrays.*int in a list"),
    ({"y": Y, "unlabelled": U[:, :3]}, r"unlabelled.*shapes \[\(3,\)\]"),
    ({"y": Y, "unlabelled": {"a": U}}, "in the shape of the inputs"),
    ({"y": Y, "target": np.full_like(U, np.nan)}, "finite inputs"),
    ({"y": Y, "target": U[:0]}, "at least one row"),
    ({"y": Y, "target": _batches(U).take(0)}, "an empty dataset"),
    ({"y": Y, "target": _batches(U[:, :3])}, "in the shape of the inputs"),
    ({"y": Y, "unlabelled": iter([U])}, "Expected arrays or datasets"),
    ({"y": Y, "unlabelled": U.tolist()}, "use `np.asarray`.*float in a list"),
])
def test_sets_that_do_not_fit_are_refused_and_nothing_is_written(tmp_path, rows, words):
    model = compiled(Line)
    with pytest.raises(ValueError, match=words):
        model.fit(X, **rows, checkpoint_dir=tmp_path / "new")
    assert not any(tmp_path.iterdir()) and not model.built
    assert float(model.num_data) == 1.0


def test_words_of_other_models_are_refused():
    with pytest.raises(ValueError, match="Density takes none.*target, unlabelled"):
        compiled(Density).fit(X, unlabelled=U, target=U)

    class Semi(Line):
        side_data = ("unlabelled",)

    with pytest.raises(ValueError, match="Semi takes unlabelled. Received: target"):
        compiled(Semi).fit(X, Y, target=U)


def test_worlds_and_generators_have_no_sets_beside_them():
    model = compiled(Line)
    model.build((None, 4))
    for data in (Bandit(2), iter([(X, Y)])):
        with pytest.raises(ValueError, match="Expected arrays or datasets"):
            model.fit(data, unlabelled=U, steps_per_epoch=1)


def _stream(*data, steps=None, epoch=0, batch_size=8, shuffle=True, **side):
    model = compiled(Line, seed=3)
    stream, count = TrainingData.of(model, *data, **side).stream(
        model, batch_size, steps, epoch, shuffle)
    return stream, count


def _numbers(rows):
    """Rows that are their own numbers."""
    return np.tile(np.arange(rows, dtype="float32")[:, None], 4)


def test_epoch_is_as_long_as_the_longest_set_and_shows_each_row_once():
    stream, steps = _stream(_numbers(32), Y, unlabelled=_numbers(64),
                            target=_numbers(16))
    assert steps == 8
    seen = {"inputs": [], "unlabelled": [], "target": []}
    for (x, side), _ in stream.take(2 * steps):
        for name, rows in {"inputs": x, **side}.items():
            seen[name].append(rows.numpy()[:, 0].astype(int))
    for name, period in (("inputs", 4), ("unlabelled", 8), ("target", 2)):
        rounds = [np.concatenate(seen[name][start:start + period])
                  for start in range(0, 16, period)]
        for one in rounds:
            np.testing.assert_array_equal(np.sort(one), np.arange(8 * period))
        assert len({tuple(one) for one in rounds}) == len(rounds)


def test_orders_of_sets_of_one_size_differ():
    stream, _ = _stream(_numbers(32), Y, unlabelled=_numbers(32), target=_numbers(32))
    (x, side), y = next(iter(stream))
    expected = noise.permutation(32, noise.key(3, noise.ORDER, 0))[:8]
    np.testing.assert_array_equal(x[:, 0], expected)  # As without other sets.
    np.testing.assert_array_equal(y, Y[expected.numpy()])
    orders = {tuple(rows.numpy()[:, 0]) for rows in (x, *side.values())}
    assert len(orders) == 3


def test_order_of_a_set_does_not_depend_on_others():
    alone, _ = _stream(_numbers(32), Y, target=_numbers(32))
    both, _ = _stream(_numbers(32), Y, target=_numbers(32), unlabelled=_numbers(64))
    for one, other in zip(alone.take(8), both.take(8)):
        np.testing.assert_array_equal(one[0].side["target"], other[0].side["target"])


def test_rows_that_are_not_shuffled_keep_their_order():
    stream, _ = _stream(_numbers(32), Y, unlabelled=_numbers(12), shuffle=False)
    batches = [side["unlabelled"].numpy()[:, 0] for (_, side), _ in stream.take(2)]
    np.testing.assert_array_equal(batches, [np.arange(8)] * 2)


def test_small_set_is_a_batch_of_its_own():
    stream, steps = _stream(_numbers(32), Y, unlabelled=_numbers(3))
    sides = [side["unlabelled"].numpy()[:, 0] for (_, side), _ in stream.take(3)]
    assert steps == 4 and all(sorted(rows) == [0, 1, 2] for rows in sides)


def test_steps_per_epoch_is_honoured_and_replaces_a_length():
    endless = _batches(U).repeat()
    for side in (U, endless):
        model = _fitted(Line, X, Y, unlabelled=side, steps_per_epoch=3, batch_size=8)
        assert _steps(model) == 6
    with pytest.raises(ValueError, match="say `steps_per_epoch`"):
        compiled(Line).fit(X, Y, unlabelled=endless)


@pytest.mark.parametrize("data, sides", [
    ((X, Y), {"unlabelled": U[:40], "target": U[40:]}),
    ((X, np.where(Y == 0, -1, Y)), {}),
    ((_batches(X, Y),), {"unlabelled": _batches(U[:40])})])
def test_resumed_training_is_equal_to_the_last_bit(tmp_path, data, sides):
    size = {} if isinstance(data[0], tf.data.Dataset) else {"batch_size": 8}
    whole = _fitted(Line, *data, epochs=3, **sides, **size)
    _fitted(Line, *data, epochs=1, checkpoint_dir=tmp_path, **sides, **size)
    resumed = _fitted(Line, *data, epochs=3, checkpoint_dir=tmp_path, **sides, **size)
    assert_equal(weights(whole), weights(resumed))


def test_dataset_that_shuffles_by_a_seed_is_resumed_where_it_stopped(tmp_path):
    def rows():  # Such datasets go on where their last reader stopped.
        return tf.data.Dataset.from_tensor_slices(U).shuffle(64, seed=1).batch(8)

    whole = _fitted(Line, X, Y, epochs=3, target=rows(), batch_size=8)
    _fitted(Line, X, Y, target=rows(), batch_size=8, checkpoint_dir=tmp_path)
    resumed = _fitted(Line, X, Y, epochs=3, target=rows(), batch_size=8,
                      checkpoint_dir=tmp_path)
    assert_equal(weights(whole), weights(resumed))


@pytest.mark.parametrize("data, side, size", [
    ((X, Y), U, 8), ((X, Y), U[:4], 8), ((X, Y), U, 7),
    ((_batches(X, Y),), _batches(U, size=20).take(3), None)])
def test_two_devices_are_as_one(data, side, size):
    found = []
    for name in ("none", "mirrored"):
        with strategies.make(name).scope():
            model = compiled(StillLine)
        _fitted(StillLine, *data, model=model, unlabelled=side, batch_size=size)
        found.append((model.kernel.numpy(), model.history.history))
    (alone, logs), (together, their_logs) = found
    np.testing.assert_allclose(alone, together, atol=1e-6)
    for name in logs:
        np.testing.assert_allclose(logs[name], their_logs[name], rtol=1e-5)


def test_sets_that_devices_do_not_share_alike_are_refused():
    with strategies.make("mirrored").scope():
        model = compiled(StillLine)
    with pytest.raises(tf.errors.InvalidArgumentError, match="batches of unlabelled"):
        _fitted(StillLine, X, Y, model=model, unlabelled=U[:3], batch_size=8)
    np.testing.assert_array_equal(model.kernel.numpy(), np.ones(4))


# The number of rows.

def test_number_of_rows_is_that_of_the_inputs():
    model = _fitted(Line, X, Y, unlabelled=U, batch_size=8)
    assert float(model.num_data) == 32
    marked = _fitted(Line, X, np.where(np.arange(32) < 12, -1, Y), batch_size=4)
    assert float(marked.num_data) == 20


def test_number_of_rows_keeps_its_value_where_nobody_says_it():
    endless = _batches(X).repeat()
    model = _fitted(Density, endless, steps_per_epoch=2)
    assert float(model.num_data) == 1.0
    _fitted(Density, X, model=model)
    _fitted(Density, endless, model=model, steps_per_epoch=2)
    assert float(model.num_data) == 32.0
    _fitted(Density, endless, model=model, steps_per_epoch=2, num_data=7)
    assert float(model.num_data) == 7.0


def test_number_of_rows_is_demanded_by_models_that_need_it():
    class Weighed(Density):
        needs_num_data = True

    with pytest.raises(ValueError, match="num_data="):
        compiled(Weighed).fit(_batches(X).repeat(), steps_per_epoch=2)
    model = compiled(Weighed, num_data=9)
    _fitted(Weighed, _batches(X).repeat(), model=model, steps_per_epoch=2)
    assert float(model.num_data) == 9


def test_steps_of_generators_are_left_to_keras():
    class Rows(keras.utils.PyDataset):
        def __len__(self):
            return 4

        def __getitem__(self, place):
            return (X[8 * place:8 * place + 8],)

    model = _fitted(Density, Rows(workers=1))
    assert _steps(model) == 8


def test_labels_of_no_rows_mark_none():
    """So that the error is that of the rows."""
    data = TrainingData(np.zeros((0, 2), "float32"), np.zeros(0, "int32"))
    assert data.without_marked() is data
