"""Every way to give data to `fit`, `evaluate` and `predict` means the same."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import DeepEnsemble, MCDropout
from tests.doors import small_networks as small

X, Y = small.numbers(), small.labels()
W = np.linspace(0.5, 1.5, small.ROWS).astype("float32")


class Frame:
    """What the zoo uses of a frame or a series of pandas, which need not be there."""

    def __init__(self, array):
        self._array = np.asarray(array)
        self.shape, self.ndim = self._array.shape, self._array.ndim
        self.iloc = self._array

    def to_numpy(self):
        return self._array

    def __len__(self):
        return len(self._array)


class Rows(keras.utils.PyDataset):
    """Batches of arrays."""

    def __init__(self, *arrays, size=8):
        super().__init__()
        self.arrays, self.size = arrays, size

    def __len__(self):
        return len(self.arrays[0]) // self.size

    def __getitem__(self, place):
        rows = slice(self.size * place, self.size * (place + 1))
        return tuple(array[rows] for array in self.arrays)


def _generator(*arrays, epochs=1):
    rows = Rows(*arrays)
    for _ in range(epochs):
        yield from (rows[place] for place in range(len(rows)))


def _dataset(*arrays):
    return tf.data.Dataset.from_tensor_slices(arrays).batch(8)


def _model(kind=MCDropout, network=None, **kwargs):
    keras.utils.set_random_seed(0)
    model = kind(network or small.mlp(), seed=3, **{
        "num_samples" if kind is MCDropout else "num_members": 2}, **kwargs)
    model.compile(keras.optimizers.SGD(0.1))
    return model


def _fitted(*data, kind=MCDropout, **kwargs):
    model = _model(kind)
    history = model.fit(*data, shuffle=False, verbose=0, **kwargs).history
    return [*model.get_weights(), *(np.array(v) for v in history.values())]


def _assert_equal(first, second):
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.slow
def test_frames_equal_their_arrays_bit_for_bit():
    frame = Frame(X.astype("float64")), Frame(Y)
    options = {"sample_weight": W, "validation_split": 0.25, "batch_size": 8}
    _assert_equal(_fitted(X, Y, **options), _fitted(
        *frame, **{**options, "sample_weight": Frame(W)}))
    model = _model()
    expected = model.predict(X, verbose=0)
    np.testing.assert_array_equal(model.predict(frame[0], verbose=0), expected)
    np.testing.assert_array_equal(
        model.predict_uncertainty(frame[0]).mean, model.predict_uncertainty(X).mean)
    assert model.evaluate(*frame, verbose=0) == model.evaluate(X, Y, verbose=0)


@pytest.mark.slow
def test_columns_of_a_frame_are_inputs_by_name():
    inputs = {name: keras.Input((1,), name=name) for name in ("a", "b")}
    joined = keras.layers.Concatenate()(list(inputs.values()))
    network = keras.Model(inputs, keras.layers.Dense(3)(
        keras.layers.Dropout(0.5)(joined)))
    model = _model(network=network)
    flat = {"a": X[:, 0], "b": X[:, 1], "not used": X[:, 2]}
    columns = {name: flat[name][:, None] for name in ("a", "b")}
    expected = model.predict(columns, verbose=0)
    for data in (flat, {name: Frame(array) for name, array in flat.items()}):
        np.testing.assert_array_equal(model.predict(data, verbose=0), expected)
        np.testing.assert_array_equal(
            model.predict_uncertainty(data).mean,
            model.predict_uncertainty(columns).mean)
    model.fit(_dataset(flat, Y), verbose=0)


@pytest.mark.slow
def test_names_find_the_inputs_of_a_list():
    parts = [keras.Input((1,), name="second"), keras.Input((3,), name="first")]
    network = keras.Model(parts, keras.layers.Dense(3)(
        keras.layers.Dropout(0.5)(keras.layers.Concatenate()(parts))))
    model = _model(network=network)
    expected = model.predict([X[:, :1], X[:, 1:]], verbose=0)
    found = {"first": X[:, 1:], "second": X[:, :1]}
    np.testing.assert_array_equal(model.predict(found, verbose=0), expected)
    with pytest.raises(ValueError, match=r"without \['second'\]"):
        model.fit({"first": X[:, 1:]}, Y)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [MCDropout, DeepEnsemble])
def test_batches_of_python_equal_those_of_a_dataset(kind):
    weighed = X, Y, W
    expected = _fitted(_dataset(*weighed), kind=kind, epochs=2,
                       validation_data=_dataset(X, Y))
    _assert_equal(expected, _fitted(Rows(*weighed), kind=kind, epochs=2,
                                    validation_data=Rows(X, Y)))
    _assert_equal(expected, _fitted(
        _generator(*weighed, epochs=2), kind=kind, epochs=2, steps_per_epoch=3,
        num_data=24, validation_data=_dataset(X, Y)))


@pytest.mark.slow
def test_batches_of_python_are_evaluated_and_predicted():
    model = _model()
    expected, scores = model.predict(X, verbose=0), model.evaluate(X, Y, verbose=0)
    sure = model.predict_uncertainty(X).mutual_information
    for batches in (lambda *data: Rows(*data), _generator):
        np.testing.assert_allclose(
            model.predict(batches(X), verbose=0), expected, atol=1e-6)
        np.testing.assert_allclose(
            model.evaluate(batches(X, Y), verbose=0), scores, rtol=1e-5)
        np.testing.assert_allclose(model.predict_uncertainty(
            batches(X, Y)).mutual_information, sure, atol=1e-6)


def test_length_is_read_from_a_py_dataset_and_asked_of_a_generator():
    model = _model()
    model.fit(Rows(X, Y), verbose=0)
    assert float(model.num_data) == 24
    with pytest.raises(ValueError, match="num_data="):
        model.fit(_generator(X, Y), verbose=0)
    with pytest.raises(ValueError, match="at least one batch"):
        model.fit(iter(()), verbose=0)
    with pytest.raises(ValueError, match="Expected rows in the shape"):
        model.fit(_generator(X[:, :3], Y), num_data=24)


FORMS = {"arrays": lambda *data: data, "dataset": lambda *data: (_dataset(*data),),
         "py_dataset": lambda *data: (Rows(*data),),
         "generator": lambda *data: (_generator(*data),)}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("targets", [Y, Y[:, None], np.eye(3, dtype="float32")[Y]],
                         ids=["index", "column", "one_hot"])
def test_class_weight_is_the_sample_weight_it_stands_for(form, targets):
    class_weight = {0: 3.0, 2: 0.5}
    weights = np.array([3.0, 1.0, 0.5], "float32")[Y]
    options = {"batch_size": 8} if form == "arrays" else {"num_data": 24}
    data = FORMS[form](X, targets, weights)
    if form == "arrays":
        options["sample_weight"], data = data[2], data[:2]
    expected = _fitted(*data, **options)
    options.pop("sample_weight", None)
    _assert_equal(expected, _fitted(*FORMS[form](X, targets), **options,
                                    class_weight=class_weight))


@pytest.mark.slow
def test_members_in_orders_of_their_own_take_class_weights():
    weights = np.array([3.0, 1.0, 0.5], "float32")[Y]
    found = []
    for options in ({"sample_weight": weights}, {"class_weight": {0: 3.0, 2: 0.5}}):
        model = _model(DeepEnsemble)
        model.fit(X, Y, batch_size=8, verbose=0, **options)
        found.append(model.get_weights())
    _assert_equal(*found)


def test_both_kinds_of_weights_are_refused():
    with pytest.raises(ValueError, match="either `class_weight` or `sample_weight`"):
        _model().fit(X, Y, sample_weight=W, class_weight={0: 2.0})


@pytest.mark.parametrize("data, words", [
    (tf.RaggedTensor.from_row_lengths(X.ravel(), [4] * 24), r"x.to_tensor\(\)"),
    (tf.sparse.from_dense(X), "sparse.to_dense"),
    (np.array([[1, None]] * 24, object), "missing values.*NoneType"),
    (np.array([[1, "a"]] * 24, object), r"dict\(frame\)"),
    (small.strings(small.CITIES), "Expected rows in the shape|Expected float32"),
    (X.tolist(), "Expected arrays")])
def test_what_no_network_takes_is_refused_with_advice(data, words):
    with pytest.raises(ValueError, match=words):
        _model().fit(data, Y)


def test_ragged_batches_are_refused_with_advice():
    ragged = tf.data.Dataset.from_tensor_slices((X, Y)).ragged_batch(8).map(
        lambda x, y: (tf.RaggedTensor.from_tensor(x), y))
    with pytest.raises(ValueError, match="dense tensors: pad"):
        _model().fit(ragged)
