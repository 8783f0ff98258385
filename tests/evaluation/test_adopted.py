"""Tests of plain Keras classifiers in the zoo."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.evaluation.adopted import adopted
from bdlzoo.likelihoods import Bernoulli, Categorical
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


def test_logits_are_read_as_such():
    plain, x = _sequential(keras.layers.Dense(3)), _x()
    model = adopted(plain, x)
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
    model = adopted(plain, x)
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
    with pytest.raises(ValueError, match="shape that the classifier takes"):
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


def test_what_is_no_classifier_is_refused_with_the_reason():
    x = _x()
    with pytest.raises(ValueError, match="several labels per input"):
        adopted(_sequential(keras.layers.Dense(3, activation="sigmoid")), x)
    broken = _sequential(keras.layers.Dense(3, bias_initializer=(
        keras.initializers.Constant(np.nan))))
    with pytest.raises(ValueError, match="with NaN"):
        adopted(broken, x)
    images = keras.Sequential([keras.layers.Conv1D(2, 3)])
    with pytest.raises(ValueError, match="one row of outputs"):
        adopted(images, x[..., None])
    with pytest.raises(ValueError, match="Expected a Keras 3 model"):
        adopted(len, x)
