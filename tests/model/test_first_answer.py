"""One request before a model is published: its answer must be finite."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import Deterministic
from bdlzoo.model import first_answer, saved_model
from bdlzoo.networks import MLP

SPECS = [tf.TensorSpec([None, 2], tf.float32, "inputs")]


def test_answers_that_are_no_numbers_are_refused_by_name():
    first_answer.check(lambda x: {"mean": x + 1.0, "label": tf.zeros([1])}, SPECS)
    with pytest.raises(FloatingPointError, match="finite answers.*in mean, for"):
        first_answer.check(lambda x: {"mean": x / x, "label": tf.zeros([1])}, SPECS)
    with pytest.raises(FloatingPointError, match="in answer, for"):
        first_answer.check(lambda x: x + np.inf, SPECS)


def test_open_end_of_an_interval_is_no_fault():
    first_answer.check(lambda x: {"ends": x + [0.0, np.inf]}, SPECS)


def test_request_has_rows_one_draw_and_blank_texts():
    def answer(x, count, text):
        assert x.shape == (3, 2) and int(count[0]) == 1 and not text[0].numpy()
        raise tf.errors.InvalidArgumentError(None, None, "no image")

    specs = [*SPECS, tf.TensorSpec([1], tf.int32, "num_samples"),
             tf.TensorSpec([None], tf.string, "text")]
    first_answer.check(answer, specs, rows=3)  # No blank text is an image.
    with pytest.raises(tf.errors.InvalidArgumentError):
        first_answer.check(lambda x: answer(x, [1], tf.constant([""])), SPECS, rows=3)


def test_model_whose_products_are_infinite_is_not_published(tmp_path):
    model = Deterministic(MLP((4,), (8,), 3))
    model.build((None, 4))
    for weight in model.network.trainable_variables:  # Finite; their product is not.
        weight.assign(np.full(weight.shape, 3e38))
    with pytest.raises(FloatingPointError, match="finite answers.*probabilities"):
        model.export(tmp_path / "served")
    assert saved_model.versions(tmp_path / "served") == []
