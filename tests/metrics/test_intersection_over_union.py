"""IoU is that of sets of pixels, and that of Keras in `evaluate`."""

import keras
import numpy as np
import pytest

from bdlzoo.likelihoods import Categorical
from bdlzoo.methods import Deterministic
from bdlzoo.metrics import confusion_matrix, intersection_over_union
from bdlzoo.metrics.intersection_over_union import mean_of_classes

RANDOM = np.random.default_rng(0)
Y, SAID = RANDOM.integers(0, 3, (2, 50)), RANDOM.integers(0, 4, (2, 50))


def test_it_is_that_of_sets_and_sums_of_batches_are_the_whole():
    confusion = sum(confusion_matrix(*rows, 5) for rows in zip(Y, SAID))
    np.testing.assert_array_equal(confusion, confusion_matrix(Y, SAID, 5))
    found = intersection_over_union(confusion)
    for label in range(4):
        true, said = (set(np.flatnonzero(each.ravel() == label)) for each in (Y, SAID))
        assert found[label] == pytest.approx(len(true & said) / len(true | said))
    assert np.isnan(found[4])  # Nobody has it, or says it.
    both = np.diag(confusion)
    either = confusion.sum(0) + confusion.sum(1) - both
    assert mean_of_classes(both, either) == pytest.approx(found[:4].mean())


def test_a_label_that_is_no_class_is_refused():
    with pytest.raises(ValueError, match="labels from 0 to 2"):
        confusion_matrix(Y, SAID, 2)


def test_keras_metric_gives_it_in_evaluate_without_ignored_pixels():
    keras.utils.set_random_seed(0)
    x = RANDOM.normal(size=(6, 4, 5, 2)).astype("float32")
    y = RANDOM.integers(0, 4, (6, 4, 5))  # 3 does not count.
    model = Deterministic(keras.Sequential([
        keras.Input((4, 5, 2)), keras.layers.Conv2D(3, 1)]), Categorical(
            ignore_class=3), seed=0)
    model.compile(metrics=[{"type": "MeanIoU", "num_classes": 3, "name": "miou",
                            "sparse_y_pred": False}])
    found = model.evaluate(x, y, batch_size=4, verbose=0, return_dict=True)
    label = model.predict(x, verbose=0).argmax(axis=-1)
    expected = intersection_over_union(confusion_matrix(
        y[y < 3], label[y < 3], 3)).mean()
    assert found["miou"] == pytest.approx(expected, rel=1e-5)
