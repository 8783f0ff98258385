"""Accuracy under attack is counted image by image, on survivors where told."""

import keras
import numpy as np
import pytest

from bdlzoo.attacks import FGSM, FirstDraw
from bdlzoo.evaluation.robustness import robustness
from bdlzoo.methods import MCDropout

X = np.linspace(0.0, 1.0, 11).astype("float32")[:, None]
Y = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0])  # The last one is wrong as it is.


@pytest.fixture(scope="module")
def model():
    """Class 1 above 0.45."""
    network = keras.Sequential([keras.Input((1,)), keras.layers.Dense(2)])
    network.layers[0].set_weights([np.array([[-1.0, 1.0]]), np.array([0.45, -0.45])])
    return network


class Shift:
    """Moves all images, and notes which ones it was given."""

    def __init__(self, step):
        self.step = step
        self.given = []

    def __call__(self, model, x, y, seed):
        self.given.append((np.round(10 * x[:, 0]).astype(int).tolist(), seed))
        return np.clip(x + self.step, 0.0, 1.0)


def test_an_image_is_robust_if_it_is_right_under_all(model):
    found = robustness(model, X, Y, {"up": Shift(0.2), "down": Shift(-0.3)})
    np.testing.assert_array_equal(found.right["up"], [1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0])
    np.testing.assert_array_equal(found.right["down"],
                                  [1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0])
    np.testing.assert_array_equal(found.robust, [1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0])
    accuracy = found.accuracy()
    assert accuracy == {"natural": 10 / 11, "up": 8 / 11, "down": 7 / 11,
                        "a_rob": 5 / 11}
    one = robustness(model, X, Y, {"up": Shift(0.2)}).accuracy()
    assert accuracy["a_rob"] <= one["a_rob"] == min(one.values())
    assert found.by_class()["a_rob"] == {0: 3 / 6, 1: 2 / 5}
    assert found.by_class()["natural"] == {0: 5 / 6, 1: 1.0}


def test_an_attack_that_helps_does_not_make_an_image_robust(model):
    found = robustness(model, X, Y, {"down": Shift(-0.9)})
    assert found.right["down"][-1] and not found.robust[-1]


def test_survivors_are_gathered_and_filled_up(model):
    attacks = {"up": Shift(0.2), "down": Shift(-0.3), "more": Shift(0.5)}
    found = robustness(model, X, Y, attacks, {"down": "up", "more": "natural"},
                       batch_size=3)
    given = attacks["down"].given
    assert [rows for rows, _ in given] == [[0, 1, 2], [5, 6, 7], [8, 9, 8]]
    assert len({seed for _, seed in given}) == 3
    np.testing.assert_array_equal(found.right["down"],
                                  [1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0])
    assert sum((rows for rows, _ in attacks["more"].given), [])[:10] == list(range(10))
    # Who is fooled by both is fooled, whoever was asked.
    whole = robustness(model, X, Y, attacks)
    np.testing.assert_array_equal(found.robust, whole.robust)


def test_nobody_left_is_nobody_attacked(model):
    attacks = {"all": Shift(1.0), "none": Shift(-1.0), "rest": Shift(0.0)}
    found = robustness(model, X, Y, attacks, {"none": "all", "rest": "none"})
    assert attacks["rest"].given == []
    assert found.accuracy()["a_rob"] == 0.0


def test_posterior_answers_by_its_mean_and_a_gray_box_by_its_draw(model):
    zoo = MCDropout(keras.Sequential([
        keras.Input((1,)), keras.layers.Dropout(0.5), *model.layers]), seed=1)
    zoo.build((None, 1))
    attacks = {"fgsm": FGSM(0.1, num_samples=4)}
    found = robustness(zoo, X, Y, attacks, num_samples=64)
    expected = zoo.predict_uncertainty(X, 64, 0).label == Y
    np.testing.assert_array_equal(found.right["natural"], expected)
    assert not (found.right["fgsm"] & ~expected).any()
    known = FirstDraw(zoo)
    gray = robustness(known, X, Y, {})
    np.testing.assert_array_equal(gray.robust, known.labels(X) == Y)


@pytest.mark.parametrize("options, message", [
    (dict(attacks={"natural": None}), "another name"),
    (dict(after={"up": "down"}), "after={'up': 'down'}"),
    (dict(after={"left": "natural"}), "after={'left'"),
    (dict(batch_size=0), "batch_size=0"), (dict(y=Y[:3]), "y.shape")])
def test_wrong_arguments_are_refused(model, options, message):
    with pytest.raises(ValueError, match=message):
        robustness(model, **{"x": X, "y": Y, "attacks": {
            "up": None, "down": None}, **options})
