"""What a served model answers, under which names, and what it refuses."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core.regression_prediction import QUANTILES
from bdlzoo.likelihoods import HeteroscedasticGaussian
from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP

X = np.random.default_rng(0).normal(size=(5, 6)).astype("float32")


def _model(likelihood="categorical", **options):
    model = MCDropout(MLP((6,), (8,), 2, dropout=0.3), likelihood, seed=3, **options)
    model.build((None, 6))
    return model


def _traced(model, name, **options):
    """One signature as it is exported, without the files."""
    function, specs = model.endpoints(**options)[name]
    return tf.function(function, input_signature=specs, autograph=False)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    model = _model()
    path = model.export(tmp_path_factory.mktemp("served"), max_samples=50)
    return model, tf.saved_model.load(str(path))


def _asked(served, name, *tensors):
    """As a server asks: by tensors alone, past the checks of Python."""
    _, loaded = served
    function = loaded.signatures[name]
    return tf.raw_ops.StatefulPartitionedCall(
        args=[*map(tf.constant, tensors), *function.captured_inputs], f=function,
        Tout=[t.dtype for t in function.outputs])


def test_default_signature_answers_with_uncertainty(served):
    model, loaded = served
    answer = loaded.signatures["serving_default"](inputs=tf.constant(X))
    prediction = model.predict_uncertainty(X)
    assert set(answer) == {
        "probabilities", "label", "confidence", "predictive_entropy",
        "expected_entropy", "mutual_information", "variation_ratio"}
    for name, value in answer.items():
        np.testing.assert_allclose(value, getattr(prediction, name), atol=1e-5)


def test_regression_answers_with_variances_and_quantiles():
    model = _model(HeteroscedasticGaussian())
    answer = _traced(model, "predict")(X, [9], [[4, 0]])
    prediction = model.predict_uncertainty(X, 9, seed=4)
    for name in ("mean", "variance", "aleatoric", "epistemic", "std"):
        np.testing.assert_allclose(answer[name], getattr(prediction, name),
                                   atol=1e-5)
    assert answer["quantiles"].shape == (5, 1, len(QUANTILES))
    for place, level in enumerate(QUANTILES):
        np.testing.assert_allclose(answer["quantiles"][..., place],
                                   prediction.quantile(level), atol=1e-4)
    low, high = prediction.interval(0.95)
    np.testing.assert_allclose(answer["low_95"], low, atol=1e-4)
    np.testing.assert_allclose(answer["high_95"], high, atol=1e-4)


@pytest.mark.parametrize("likelihood, outputs", [
    ("bernoulli", 1), pytest.param("gaussian", 2, marks=pytest.mark.slow)])
def test_every_likelihood_is_served(likelihood, outputs):
    model = MCDropout(MLP((6,), (8,), outputs, dropout=0.3), likelihood, seed=3)
    model.build((None, 6))
    model.calibration.temperature.assign(2.0)
    answer, prediction = (_traced(model, "serving_default")(X),
                          model.predict_uncertainty(X))
    for name in prediction.served:
        np.testing.assert_allclose(answer[name], getattr(prediction, name), atol=1e-5)


def test_bad_requests_are_invalid_arguments(served):
    holed, seed, count = X.copy(), [[4, 0]], [3]
    holed[2, 1] = np.nan
    endless = np.where(np.isnan(holed), np.inf, holed)
    # As many numbers in another shape: no layer would see that.
    for inputs, words in ((holed, "finite inputs"), (endless, "finite inputs"),
                          (X.reshape(10, 3), r"\[10,3\]"), (X[:0], "one row"),
                          (X[0], r"\[6\]")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            _asked(served, "serving_default", inputs)
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            _asked(served, "predict", inputs, count, seed)
    for number in (0, -1, 51):
        for name in ("predict", "samples"):
            with pytest.raises(tf.errors.InvalidArgumentError,
                               match="num_samples from 1 to 50"):
                _asked(served, name, X, [number], seed)
    # What a batching server makes of two requests: one count would win.
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected shape"):
        _asked(served, "predict", X[:2], [3, 3], seed * 2)
    assert _asked(served, "samples", X, [50], seed)[0].shape == (50, 5, 2)


def test_cap_is_never_below_the_draws_of_the_model(served):
    with pytest.raises(ValueError, match="number of draws of the model, 32"):
        served[0].endpoints(max_samples=31)
    assert _traced(served[0], "samples")(X, [1024], [[4, 0]])[
        "samples"].shape == (1024, 5, 2)


def test_compiled_answers_are_the_same_and_checked(served):
    model, _ = served
    predict = _traced(model, "predict", jit_compile=True)
    answer = predict(X, [9], [[4, 0]])
    prediction = model.predict_uncertainty(X, 9, seed=4)
    for name, value in answer.items():
        np.testing.assert_allclose(value, getattr(prediction, name), atol=1e-5)
    library = predict.get_concrete_function().graph.as_graph_def().library
    assert any("_XlaMustCompile" in f.attr for f in library.function)
    with pytest.raises(tf.errors.InvalidArgumentError, match="finite inputs"):
        predict(np.full_like(X, np.inf), [9], [[4, 0]])


def test_preprocessing_is_part_of_the_served_graph(served, tmp_path):
    model, _ = served
    scaling = keras.Sequential([keras.Input((6,)), keras.layers.Normalization()])
    scaling.layers[0].adapt(X)
    path = model.export(tmp_path, preprocessing=scaling)
    answer = tf.saved_model.load(str(path)).signatures["serving_default"](
        inputs=tf.constant(X))
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(answer["probabilities"],
                               model.predict(scaled, verbose=0), atol=1e-5)
    for wrong in (lambda x: x, keras.layers.Rescaling(2.0)):
        with pytest.raises(ValueError, match="Sequential Keras model with one input"):
            model.endpoints(preprocessing=wrong)


def _two_inputs(by_name):
    """A network of two inputs, and rows for it."""
    table = keras.Input((4,), name="table")
    place = keras.Input((), dtype="int32", name="place")
    known = keras.layers.Embedding(3, 4)(place)
    hidden = keras.layers.Dropout(0.5)(keras.layers.Add()([table, known]))
    rows = {"place": np.array([0, 1, 2, 1, 0], "int32"), "table": X[:, :4]}
    inputs = {"place": place, "table": table} if by_name else [table, place]
    data = rows if by_name else [rows["table"], rows["place"]]
    return keras.Model(inputs, keras.layers.Dense(2)(hidden)), rows, data


def test_several_inputs_keep_their_names():
    network, rows, data = _two_inputs(by_name=True)
    model = MCDropout(network, seed=1)
    model.build({name: (None, *part.shape[1:]) for name, part in rows.items()})
    default = _traced(model, "serving_default")
    np.testing.assert_allclose(default(data)["probabilities"],
                               model.predict_uncertainty(data).mean, atol=1e-6)
    _, (specs, *_) = model.endpoints()["predict"]
    assert [(specs[name].name, specs[name].dtype) for name in rows] == [
        ("place", tf.int32), ("table", tf.float32)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="as many for each input"):
        default({**rows, "place": rows["place"][:2]})


@pytest.mark.slow
@pytest.mark.parametrize("by_name", [True, False])
def test_several_inputs_are_trained_saved_and_served(by_name, tmp_path):
    network, rows, data = _two_inputs(by_name)
    model, labels = MCDropout(network, seed=1), np.array([0, 1, 0, 1, 0])
    model.compile()
    model.fit(data, labels, verbose=0)
    model.calibrate(data, labels, method="aps", level=0.5)
    model.save(tmp_path / "model.keras")
    model = keras.saving.load_model(tmp_path / "model.keras")
    signatures = tf.saved_model.load(str(model.export(tmp_path))).signatures
    answer = signatures["serving_default"](**{
        name: tf.constant(part) for name, part in rows.items()})
    prediction = model.predict_uncertainty(data)
    np.testing.assert_allclose(answer["probabilities"], prediction.mean, atol=1e-6)
    np.testing.assert_array_equal(answer["prediction_set"], prediction.prediction_set)
