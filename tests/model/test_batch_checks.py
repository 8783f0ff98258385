"""Every batch is looked at on its way to a step: NaN, infinity and wrong targets."""

import contextlib
import gc
import time
import weakref

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo
from bdlzoo.core import strategies
from bdlzoo.likelihoods import Categorical
from bdlzoo.methods import (
    SGLD,
    VAE,
    AdversarialTraining,
    AlphaDivergenceDropout,
    DeepEnsemble,
    Deterministic,
    MCDropout,
    MeanFieldVI,
)
from bdlzoo.model.batch_checks import BatchChecks
from bdlzoo.networks import MLP, LeNet
from tests.model import bad_pipelines

RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 4)).astype("float32")
Y = RNG.integers(0, 3, 64)
BATCH, ROW = 5, 3  # Of batches of 8 rows.
PLACE = "batch 5, row 3"


def _model(num_outputs=3, likelihood="categorical", **options):
    keras.utils.set_random_seed(0)
    model = Deterministic(MLP((4,), (8,), num_outputs), likelihood, seed=0)
    model.compile(keras.optimizers.SGD(0.01), **options)
    return model


def _with(array, value, dtype=None):
    """The array with one wrong value, in the row of the batch above."""
    array = np.array(array, dtype or array.dtype)
    array.reshape(len(array), -1)[BATCH * 8 + ROW, 0] = value
    return array


def _pass(model, data, **options):
    """Lets batches flow through the checks, without a training."""
    if not model.built:
        model.build((None, 4))
    checks = BatchChecks(model, **options)
    with checks.explained():
        for _ in checks.watched(data):
            pass


def _dataset(*parts):
    return tf.data.Dataset.from_tensor_slices(parts).batch(8)


class _Batches(keras.utils.PyDataset):

    def __init__(self, *parts, **kwargs):
        super().__init__(**kwargs)
        self.parts = parts

    def __len__(self):
        return len(self.parts[0]) // 8

    def __getitem__(self, place):
        return tuple(part[8 * place:8 * place + 8] for part in self.parts)


def _generator(*parts):
    return iter([batch for batch in _Batches(*parts)])


SOURCES = {
    "dataset": _dataset, "pydataset": _Batches, "generator": _generator,
    "workers": lambda *parts: _Batches(*parts, workers=2),
    "endless": lambda *parts: _dataset(*parts).repeat(),
    "mapped": lambda *parts: _dataset(*parts).map(lambda *p: p).prefetch(2)}
FAULTS = {  # Inputs, targets and words of the error.
    "nan": (_with(X, np.nan), Y, "finite inputs"),
    "infinity": (_with(X, np.inf), Y, "finite inputs"),
    "beyond": (_with(X, 1e300, "float64"), Y, "finite inputs"),
    "fraction": (X, _with(Y, 1.5, "float32"), "class indices from 0 to 2"),
    "outside": (X, _with(Y, 3), "class indices from 0 to 2"),
    "negative": (X, _with(Y, -1), "class indices from 0 to 2")}


@pytest.mark.parametrize("fault", FAULTS)
def test_wrong_row_of_a_dataset_is_named(fault):
    x, y, words = FAULTS[fault]
    with pytest.raises(ValueError, match=f"{words}.*{PLACE} of the data"):
        _pass(_model(), _dataset(x, y))


def test_training_ends_before_the_step_of_a_wrong_batch():
    found = []
    for data in (_dataset(X[:40], Y[:40]), _dataset(_with(X, np.nan), Y)):
        model = _model(steps_per_execution=1)
        try:
            model.fit(data, verbose=0)
        except ValueError as error:
            assert f"{PLACE} of the training data" in str(error)
        found.append(model.network.get_weights())
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_every_source_of_batches_is_watched(source):
    data = SOURCES[source](_with(X, np.nan), Y)
    options = {"num_data": 64, "steps_per_epoch": 8} if source in (
        "endless", "generator") else {}
    with pytest.raises(ValueError, match=f"finite inputs.*{PLACE}"):
        _model().fit(data, epochs=1, verbose=0, **options)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_good_batches_give_the_weights_of_arrays(source):
    found = []
    for data in ((X, Y), (SOURCES[source](X, Y),)):
        model = _model()
        model.fit(*data, batch_size=8 if len(data) == 2 else None, shuffle=False,
                  num_data=64, steps_per_epoch=8, verbose=0)
        found.append(model.network.get_weights())
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("source", [
    "dataset", pytest.param("pydataset", marks=pytest.mark.slow)])
def test_validation_data_are_watched_too(source):
    bad = SOURCES[source](_with(X, np.nan), Y)
    with pytest.raises(ValueError, match=f"finite.*{PLACE} of the validation data"):
        _model().fit(X, Y, validation_data=bad, verbose=0)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["dataset", "pydataset", "generator"])
def test_data_of_an_evaluation_are_watched(source):
    bad = SOURCES[source](_with(X, np.nan), Y)
    with pytest.raises(ValueError, match=f"finite inputs.*{PLACE} of the data"):
        _model().evaluate(bad, verbose=0)


def test_prediction_of_missing_numbers_is_refused():
    model = _model()
    with pytest.raises(ValueError, match="finite inputs.*index 43"):
        model.predict(_with(X, np.nan), verbose=0)
    with pytest.raises(ValueError, match=f"finite inputs.*{PLACE}"):
        _pass(model, _dataset(_with(X, np.nan)), inputs_only=True)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["dataset", "generator"])
def test_predicted_batches_are_watched(source):
    with pytest.raises(ValueError, match=f"finite inputs.*{PLACE}"):
        _model().predict(SOURCES[source](_with(X, np.nan)), verbose=0)


def test_arrays_are_refused_as_a_whole_after_the_cast_to_the_type_of_computing():
    model = _model()
    for x, words in ((_with(X, 1e300, "float64"), "float32"), (_with(X, np.nan), "")):
        with pytest.raises(ValueError, match=f"finite inputs.*{words}.*index 43"):
            model.fit(x, Y, verbose=0)
        with pytest.raises(ValueError, match=f"finite inputs.*{words}.*index 43"):
            model.fit(X, Y, validation_data=(x, Y), verbose=0)
        with pytest.raises(ValueError, match=f"finite inputs.*{words}.*index 43"):
            model.evaluate(x, Y, verbose=0)


@pytest.mark.parametrize("door", ["fit", "validation", "evaluate", "flow"])
def test_weights_of_rows_must_be_finite(door):
    weights = _with(np.ones(64, "float32"), np.nan)
    model, place = _model(), "index 43" if door != "flow" else PLACE
    with pytest.raises(ValueError, match=f"finite sample weights.*{place}"):
        if door == "fit":
            model.fit(X, Y, sample_weight=weights, verbose=0)
        elif door == "validation":
            model.fit(X, Y, validation_data=(X, Y, weights), verbose=0)
        elif door == "evaluate":
            model.evaluate(X, Y, sample_weight=weights, verbose=0)
        else:
            _pass(model, _dataset(X, Y, weights))


def test_single_batches_are_looked_at():
    model = _model()
    for call in (model.train_on_batch, model.test_on_batch):
        for wrong in ((_with(X, np.nan), Y), (_with(X, 1e300, "float64"), Y),
                      (X, _with(Y, 3)), (X, Y, _with(np.ones(64), np.inf))):
            with pytest.raises(ValueError, match="index 43|class indices from 0 to 2"):
                call(*wrong)
    with pytest.raises(ValueError, match="finite inputs.*index 43"):
        model.predict_on_batch(_with(X, np.nan))
    fitted = _model()
    fitted.fit(X, Y, batch_size=64, shuffle=False, verbose=0)
    model.fit(X, Y, epochs=0, verbose=0)
    model.train_on_batch(X, Y)
    for one, other in zip(*(each.network.get_weights() for each in (model, fitted)),
                          strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_single_batches_need_the_size_of_the_training_set():
    def steps(num_data, fitted=False):
        keras.utils.set_random_seed(0)
        model = MeanFieldVI(bdlzoo.bayesianize(MLP((4,), (8,), 3), verbose=False),
                            num_data=num_data, seed=0)
        model.compile(keras.optimizers.SGD(0.01))
        if fitted:
            model.fit(X, Y, epochs=0, verbose=0)
        return model.train_on_batch(X, Y, return_dict=True)

    with pytest.raises(ValueError, match="size of the training set.*MeanFieldVI"):
        steps(None)
    many, few = steps(10_000), steps(64)
    assert many["kl"] == pytest.approx(few["kl"], rel=1e-5)
    assert few["loss"] - few["nll"] == pytest.approx(few["kl"] / 64, rel=1e-3)
    assert many["loss"] - many["nll"] == pytest.approx(many["kl"] / 1e4, rel=0.02)
    assert steps(None, fitted=True)["loss"] == pytest.approx(few["loss"], rel=1e-5)


def test_weights_of_classes_must_be_finite():
    with pytest.raises(ValueError, match="finite.*class_weight"):
        _model().fit(X, Y, class_weight={0: np.nan}, verbose=0)


ONE_HOT = np.eye(3, dtype="float32")[Y]
NUMBERS, COUNTS = X[:, :1], np.abs(X[:, 0]).round()
TARGETS = {  # Outputs, likelihood, targets, a wrong value, words.
    "one-hot": (3, "categorical", ONE_HOT, 0.7, "class probabilities"),
    "one-hot of NaN": (3, "categorical", ONE_HOT, np.nan, "finite targets"),
    "Bernoulli": (1, "bernoulli", Y % 2, 2, "class indices from 0 to 1"),
    "Bernoulli of floats": (
        1, "bernoulli", (Y % 2).astype("float32"), -1, "class indices from 0 to 1"),
    "ordinal": (1, {"type": "Ordinal", "num_classes": 3}, Y, 3, "class indices"),
    "bytes": (3, "categorical", Y.astype("uint8"), 200, "class indices from 0 to 2"),
    "Gaussian": (1, "gaussian", NUMBERS, np.nan, "finite targets"),
    "heteroscedastic": (
        2, "heteroscedastic_gaussian", NUMBERS, np.inf, "finite targets"),
    "Student t": (1, "student_t", NUMBERS, -np.inf, "finite targets"),
    "quantiles": (3, {"type": "Quantiles", "levels": [0.1, 0.5, 0.9]}, NUMBERS,
                  np.nan, "finite targets"),
    "Poisson": (1, "poisson", COUNTS, -2, "Expected counts"),
    "negative binomial": (1, "negative_binomial", COUNTS, 0.5, "Expected counts"),
    "distribution": (
        2, {"type": "Distribution", "factory": "Gamma", "parameters": {
            "concentration": "softplus", "rate": "softplus"}}, 1.0 + COUNTS, -1.0,
        "targets between 0 and inf")}


@pytest.mark.parametrize("case", TARGETS)
def test_targets_of_every_family_are_checked_in_their_batch(case):
    num_outputs, likelihood, targets, wrong, words = TARGETS[case]
    model = _model(num_outputs, likelihood)
    _pass(model, _dataset(X, targets))
    with pytest.raises(ValueError, match=f"{words}.*{PLACE} of the data"):
        _pass(model, _dataset(X, _with(targets, wrong)))


def test_ignored_class_passes_and_other_marks_do_not():
    model = _model(3, Categorical(ignore_class=255))
    _pass(model, _dataset(X, _with(Y, 255)))
    with pytest.raises(ValueError, match=f"class indices.*{PLACE}"):
        _pass(model, _dataset(X, _with(Y, 254)))


class _NotTwo(Categorical):
    """Likelihood of a user, whose own check has no quick form."""

    def check_targets(self, targets, output_shape):
        super().check_targets(targets, output_shape)
        if (np.asarray(targets) == 2).any():
            raise ValueError("Expected targets that are not 2.")


def test_stricter_check_without_a_quick_form_is_asked_for_every_batch():
    model, y = _model(3, _NotTwo()), Y % 2
    _pass(model, _dataset(X, y))
    with pytest.raises(ValueError, match=f"not 2.*{PLACE}"):
        _pass(model, _dataset(X, _with(y, 2)))


class _Bounded(Deterministic):

    def check_data(self, x, y):
        super().check_data(x, y)
        if np.max(x) > 9.0:
            raise ValueError("Expected inputs up to 9.")


def test_model_with_a_stricter_check_is_asked_for_every_batch():
    model = _Bounded(MLP((4,), (8,), 3))
    with pytest.raises(ValueError, match=f"up to 9.*{PLACE}"):
        _pass(model, _dataset(_with(X, 10.0), Y))


def test_large_finite_inputs_and_strings_pass():
    _pass(_model(), _dataset(_with(X, 3e38), Y))  # Its norm is infinite.
    network = keras.Sequential([
        keras.Input((), dtype="string"),
        keras.layers.TextVectorization(vocabulary=["a", "b"], output_sequence_length=3),
        keras.layers.Embedding(4, 3), keras.layers.Flatten(), keras.layers.Dense(3)])
    model, texts = Deterministic(network), np.array(["a b", "b"] * 32)
    model.build_once(tf.constant(texts))
    _pass(model, _dataset(texts, Y))
    with pytest.raises(ValueError, match=f"class indices.*{PLACE}"):
        _pass(model, _dataset(texts, _with(Y, 3)))


def test_large_numbers_of_opposite_signs_do_not_hide_each_other():
    x = _with(X, 1e300, "float64")
    x[BATCH * 8 + ROW, 1] = -1e300
    with pytest.raises(ValueError, match=f"infinite in float32.*{PLACE}"):
        _pass(_model(), _dataset(x, Y))


def test_half_precision_makes_the_range_of_inputs_smaller():
    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_float16")
    try:
        model = _model()
    finally:
        keras.config.set_dtype_policy(policy)
    with pytest.raises(ValueError, match=f"finite inputs.*float16.*{PLACE}"):
        _pass(model, _dataset(_with(X, 1e5), Y))
    with pytest.raises(ValueError, match="finite inputs.*float16.*index 43"):
        model.fit(_with(X, 1e5), Y, verbose=0)
    _pass(model, _dataset(_with(X, 6e4), Y))


def test_ranges_that_a_method_asks_for_hold_in_every_batch():
    pixels = np.clip(np.abs(X), 0.0, 1.0)
    vae = VAE(MLP((4,), (8,), 4), MLP((2,), (8,), 4))
    _pass(vae, _dataset(pixels))
    with pytest.raises(ValueError, match=f"pixels from 0 to 1.*{PLACE}"):
        _pass(vae, _dataset(_with(pixels, 1.5)))
    attacked = AdversarialTraining(MLP((4,), (8,), 3), epsilon=0.1)
    with pytest.raises(ValueError, match=rf"inputs in \[0.*{PLACE}"):
        _pass(attacked, _dataset(_with(pixels, 1.5), Y))


def test_rows_of_inputs_and_targets_are_counted_in_every_batch():
    def generate():
        for place in range(8):
            yield X[:8], Y[:8 if place < BATCH else 1]

    spec = tf.TensorSpec([None, 4]), tf.TensorSpec([None], tf.int64)
    data = tf.data.Dataset.from_generator(generate, output_signature=spec)
    with pytest.raises(ValueError, match="as many targets as inputs.*batch 5"):
        _pass(_model(), data)


def test_first_of_several_errors_is_raised():
    checks, wrong = BatchChecks(_model()), (_with(X, np.nan)[40:48], Y[40:48])
    with pytest.raises(ValueError, match=PLACE), checks.explained():
        for place in (5, 6):  # Workers go on until their pipeline ends.
            with contextlib.suppress(ValueError):
                checks.look("the data", wrong, place)
        raise RuntimeError("the words of TensorFlow")


def test_trained_model_is_not_kept_alive_by_its_pipeline():
    model = _model()
    model.fit(_dataset(X, Y), verbose=0)
    model = weakref.ref(model)
    keras.backend.clear_session()
    gc.collect()
    assert model() is None


@pytest.mark.slow
def test_sets_beside_the_inputs_are_watched():
    from tests.model.toy_models import Line, compiled

    model, target = compiled(Line), _dataset(_with(X, np.nan))
    with pytest.raises(ValueError, match=f"finite target.*{PLACE}"):
        model.fit(_dataset(X, NUMBERS), target=target, verbose=0)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"jit_compile": True}, {"steps_per_execution": 4},
                                     {"strategy": "mirrored"}])
def test_compiled_steps_and_replicas_stop_as_well(options):
    options = dict(options)
    with strategies.make(options.pop("strategy", "none")).scope():
        model = _model(**options)
    for data in (_dataset(_with(X, np.nan), Y), _dataset(X, _with(Y, 7))):
        with pytest.raises(ValueError, match=PLACE):
            model.fit(data, verbose=0)


@pytest.mark.parametrize("source", ["generator", "pydataset"])
def test_errors_of_sources_that_end_early_in_their_place_are_raised(source):
    checks = BatchChecks(_model())
    with pytest.raises(ValueError, match=f"finite inputs.*{PLACE}"):
        with checks.explained():
            found = checks.watched(SOURCES[source](_with(X, np.nan), Y))
            with contextlib.suppress(ValueError):  # As the end of the data.
                for place in range(8):
                    found[place] if source == "pydataset" else next(found)


@pytest.mark.slow
def test_generators_on_replicas_do_not_end_early_in_silence():
    with strategies.make("mirrored").scope():
        model = _model()
    for _ in range(4):  # TensorFlow ends the second one as if there were no more data.
        with pytest.raises(ValueError, match=f"finite inputs.*{PLACE}"):
            model.fit(iter(list(SOURCES["generator"](_with(X, np.nan), Y))),
                      steps_per_epoch=8, num_data=64, verbose=0)


@pytest.mark.slow
def test_training_goes_on_after_a_refusal_as_if_it_had_not_been():
    found = []
    for bad in (False, True):
        model = _model()
        if bad:
            with pytest.raises(ValueError, match="class indices"):
                model.fit(X, Y, epochs=0, verbose=0, validation_data=(X, Y + 3))
            with pytest.raises(ValueError, match="batch 0, row 3"):
                model.fit(_dataset(_with(X, np.nan)[40:], Y[40:]), verbose=0)
        model.fit(X, Y, validation_data=_dataset(X, Y), verbose=0)
        found.append(model.network.get_weights())
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_errors_of_the_data_themselves_stay_what_they_are():
    def generate():
        yield X[:8], Y[:8]
        yield X[:8], Y[:8]
        raise KeyError("a row of the user")

    spec = tf.TensorSpec([None, 4]), tf.TensorSpec([None], tf.int64)
    data = tf.data.Dataset.from_generator(generate, output_signature=spec)
    with pytest.raises(tf.errors.OpError, match="a row of the user"):
        _pass(_model(), data)


@pytest.mark.parametrize("name", ["batch_size", "validation_batch_size",
                                  "steps_per_epoch"])
def test_sizes_of_zero_are_refused(name):
    with pytest.raises(ValueError, match=f"at least 1. Received: {name}=0"):
        _model().fit(X, Y, validation_split=0.5, verbose=0, **{name: 0})
    if name == "batch_size":
        for call in (lambda: _model().evaluate(X, Y, batch_size=0),
                     lambda: _model().predict(X, batch_size=0)):
            with pytest.raises(ValueError, match="Received: batch_size=0"):
                call()


MODES = {"graph": ("none", {"steps_per_execution": 2}),
         "XLA": ("none", {"steps_per_execution": 2, "jit_compile": True}),
         "replicas": ("mirrored", {"steps_per_execution": 2})}
METHODS = {
    "MCDropout": lambda: MCDropout(
        MLP((4,), (8,), 3, dropout=0.2), num_samples=2),
    "MeanFieldVI": lambda: MeanFieldVI(
        bdlzoo.bayesianize(MLP((4,), (8,), 3)), num_samples=2),
    "DeepEnsemble": lambda: DeepEnsemble(
        MLP((4,), (8,), 3), num_members=2, own_order=False),
    "SGLD": lambda: SGLD(MLP((4,), (8,), 3), num_kept=2, own_order=False),
    "AlphaDivergenceDropout": lambda: AlphaDivergenceDropout(
        MLP((4,), (8,), 3, dropout=0.2), num_samples=2, num_train_samples=2)}


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", METHODS)
def test_no_wrong_row_of_twenty_pipelines_gets_through(method, mode):
    strategy, options = MODES[mode]
    with strategies.make(strategy).scope():
        model = METHODS[method]()
        model.compile(keras.optimizers.SGD(1e-4), **options)
    place = np.random.default_rng([len(method), len(mode)])
    names = list(bad_pipelines.pipelines(0))
    assert len(names) == 20
    for name in names:
        row = int(place.integers(bad_pipelines.ROWS))
        found = bad_pipelines.pipelines(row)[name]()
        where = "batch %d, row %d of" % divmod(row, bad_pipelines.SIZE)
        if name.split()[0] in ("arrays", "frame"):
            where = f"index {row}$|wrong labels$"
        if name == "dataset shuffled":
            where = "batch %d, row %d of" % next(
                (batch, int(np.isnan(x).any(axis=1).argmax()))
                for batch, (x, _) in enumerate(found["x"]) if np.isnan(x).any())
        print(name, "with a fault in row", row)  # Is shown where one gets through.
        with pytest.raises(ValueError, match=where):
            model.fit(**found, batch_size=8 if "y" in found else None, num_data=64,
                      verbose=0)
        model.check_weights()


class _Clock(keras.callbacks.Callback):
    """Seconds of a step in each epoch after the first, which starts the pipeline."""

    def __init__(self):
        super().__init__()
        self.passed, self.computed = [], []

    def on_epoch_begin(self, epoch, logs=None):
        self._begin = time.perf_counter(), time.process_time()

    def on_epoch_end(self, epoch, logs=None):
        if epoch:
            passed, computed = self._begin
            self.passed.append((time.perf_counter() - passed) / 50)
            self.computed.append((time.process_time() - computed) / 50)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["MLP 784-400-400-10", "LeNet"])
def test_cost_of_the_checks_is_small_and_printed(name, capsys, monkeypatch):
    """What a step of `fit` takes longer, at best: others only ever add to a time."""
    is_image = name == "LeNet"
    x = RNG.random((6_400, 28, 28, 1) if is_image else (6_400, 784)).astype("float32")
    data = tf.data.Dataset.from_tensor_slices(
        (x, RNG.integers(0, 10, len(x)))).batch(128).cache().repeat()
    ways = {"bare": lambda checks, data, *name: data, "watched": BatchChecks.watched}
    found, models = {way: [] for way in ways}, {}
    for way in ways:
        models[way] = Deterministic(
            LeNet((28, 28, 1), 10) if is_image else MLP((784,), (400, 400), 10), seed=0)
        models[way].compile("adam")
    for turn in range(8 if is_image else 16):
        for way in list(ways)[::1 if turn % 2 else -1]:
            monkeypatch.setattr(BatchChecks, "watched", ways[way])
            clock = _Clock()
            models[way].fit(data, steps_per_epoch=50, epochs=4, num_data=len(x),
                            verbose=0, callbacks=[clock])
            found[way] += zip(clock.passed, clock.computed, strict=True)
    bare, watched = (np.min(found[way], axis=0) for way in ways)
    with capsys.disabled():
        for place, kind in enumerate(("passes", "processors take")):
            print(f"\n{name}: of the time that {kind}, a step has "
                  f"{1e3 * bare[place]:.2f} ms, and checks take "
                  f"{1e6 * (watched - bare)[place]:.0f} us "
                  f"({(watched / bare)[place] - 1.0:+.2%})")
    assert (watched < 1.01 * bare).all()
