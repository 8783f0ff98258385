"""Tests of plain Keras classifiers in the zoo."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.evaluation.adopted import adopted
from bdlzoo.likelihoods import Bernoulli, Categorical, Gaussian
from bdlzoo.methods import MCDropout


def _x(rows=20):
    return noise.normal([rows, 4], noise.key(0)).numpy()


def _sequential(*last):
    return keras.Sequential([keras.layers.Dense(5, activation="tanh"), *last])


@pytest.mark.parametrize("last", [
    [keras.layers.Dense(3, activation="softmax")],
    [keras.layers.Dense(3), keras.layers.Softmax()],
    [keras.layers.Dense(3), keras.layers.Activation("softmax")],
], ids=["dense", "layer", "activation"])
def test_softmax_is_taken_off_and_predictions_stay(last):
    plain, x = _sequential(*last), _x()
    model = adopted(plain, x)
    assert model.likelihood.from_logits
    np.testing.assert_allclose(model.predict(x, verbose=0), plain(x), rtol=1e-5)
    outputs = model.sample_outputs(x).numpy()[0]
    assert np.abs(outputs.sum(-1) - 1).max() > 0.1  # Logits, not probabilities.


@pytest.mark.parametrize("told", ["argument", "loss", "object"])
def test_logits_are_read_as_such(told):
    plain, x = _sequential(keras.layers.Dense(3)), _x()
    if told != "argument":
        loss = "sparse_categorical_crossentropy"
        plain.compile(loss=loss if told == "loss" else (
            keras.losses.SparseCategoricalCrossentropy(from_logits=True)))
    model = adopted(plain, x, likelihood="categorical" if told == "argument" else None)
    assert isinstance(model.likelihood, Categorical)
    np.testing.assert_allclose(model.sample_outputs(x)[0], plain(x), atol=1e-6)


def test_a_subclassed_classifier_is_told_by_its_outputs():
    class Plain(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(3, activation="softmax")

        def call(self, x):
            return self.dense(x)

    plain, x = Plain(), _x()
    model = adopted(plain, x)
    assert not model.likelihood.from_logits
    np.testing.assert_allclose(model.predict(x, verbose=0), plain(x), rtol=1e-5)


@pytest.mark.parametrize("activation", ["sigmoid", None])
def test_one_output_is_the_probability_or_logit_of_class_one(activation):
    plain, x = _sequential(keras.layers.Dense(1, activation=activation)), _x()
    model = adopted(plain, x, likelihood=None if activation else "bernoulli")
    assert isinstance(model.likelihood, Bernoulli)
    expected = plain(x) if activation else keras.ops.sigmoid(plain(x))
    np.testing.assert_allclose(model.predict(x, verbose=0), expected, atol=1e-6)


def test_images_become_the_rows_and_bytes_that_the_classifier_takes():
    plain = keras.Sequential([keras.Input((4,)), keras.layers.Dense(
        3, activation="softmax")])
    x = abs(_x()) / 255
    model = adopted(plain, x.reshape(-1, 2, 2, 1), pixel_max=255)
    np.testing.assert_allclose(model.predict(x.reshape(-1, 2, 2, 1), verbose=0),
                               plain(255 * x), rtol=1e-5)
    with pytest.raises(ValueError, match="shape that the model takes"):
        adopted(plain, x[:, :3])


def test_a_saved_classifier_of_flat_images_comes_back_and_is_adopted(tmp_path):
    plain = keras.Sequential([keras.layers.Flatten(),
                              keras.layers.Dense(3, activation="softmax")])
    x = abs(_x()).reshape(-1, 2, 2)
    plain(x)
    plain.save(tmp_path / "mine.keras")
    model = adopted(keras.saving.load_model(tmp_path / "mine.keras"), x[..., None])
    np.testing.assert_allclose(model.predict(x[..., None], verbose=0), plain(x),
                               rtol=1e-5)


def test_a_model_of_the_zoo_is_itself():
    model = MCDropout(_sequential(keras.layers.Dense(3)))
    assert adopted(model, _x()) is model


def test_a_regression_is_not_taken_for_a_classifier():
    plain, x = _sequential(keras.layers.Dense(3)), _x()
    with pytest.raises(ValueError, match="what its outputs mean.*Give `likelihood`"):
        adopted(plain, x)
    plain.compile(loss="mse")
    model = adopted(plain, x)
    assert isinstance(model.likelihood, Gaussian)
    np.testing.assert_allclose(model.predict(x, verbose=0), plain(x), atol=1e-6)


def test_probabilities_of_a_custom_layer_are_read_as_such():
    plain = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), Normalised()])
    model = adopted(plain, _x())
    assert not model.likelihood.from_logits
    np.testing.assert_allclose(model.predict(_x(), verbose=0), plain(_x()), rtol=1e-5)


def test_several_inputs_are_taken_by_name():
    first, second = keras.Input((4,), name="first"), keras.Input((1,), name="a blank")
    joint = keras.layers.Concatenate()([first, second])
    plain = keras.Model({"first": first, "a blank": second}, keras.layers.Dense(
        3, activation="softmax")(joint))
    x = {"first": _x(), "a blank": _x()[:, :1]}
    np.testing.assert_allclose(adopted(plain, x).predict(x, verbose=0), plain(x),
                               rtol=1e-5)


@keras.saving.register_keras_serializable(package="tests")
class Normalised(keras.layers.Layer):
    """Positive numbers that sum to one, by another way than a softmax."""

    def call(self, inputs):
        squares = inputs**2 + 0.1
        return squares / keras.ops.sum(squares, axis=-1, keepdims=True)


def test_what_cannot_be_read_is_refused_with_the_reason():
    x = _x()
    half = _sequential(keras.layers.Dense(3, activation="sigmoid"))
    with pytest.raises(ValueError, match="several labels per input"):
        adopted(half, x, likelihood="categorical")
    broken = _sequential(keras.layers.Dense(3, bias_initializer=(
        keras.initializers.Constant(np.nan))))
    with pytest.raises(ValueError, match="with NaN"):
        adopted(broken, x, likelihood="categorical")
    inputs = keras.Input((4,))
    two = keras.Model(inputs, [keras.layers.Dense(3, activation="softmax")(inputs)] * 2)
    with pytest.raises(ValueError, match="one output.*2 outputs"):
        adopted(two, x)
    with pytest.raises(ValueError, match="Expected a Keras 3 model"):
        adopted(len, x)
