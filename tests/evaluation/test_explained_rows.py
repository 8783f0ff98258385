"""Training rows behind the worst answers."""

import keras
import numpy as np

from bdlzoo.data import Split
from bdlzoo.evaluation import evaluate, influence
from bdlzoo.evaluation.explained_rows import explained_rows
from bdlzoo.methods import SGLD, Deterministic
from bdlzoo.reports.html_report import html_report

RNG = np.random.default_rng(0)


def _rows(count):
    """Images whose class is the bright half, some of them with a wrong label."""
    y = np.arange(count) % 2
    x = 0.3 * RNG.uniform(size=(count, 4, 4, 1))
    x[np.arange(count), :, 2 * y] += 0.7
    return Split(x.astype("float32"), y.astype("int32"))


def _network():
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((4, 4, 1)), keras.layers.Flatten(),
                             keras.layers.Dense(2)])


def test_a_wrong_label_beside_a_test_image_is_found():
    train, test = _rows(40), _rows(20)
    train.y[6] = 1 - train.y[6]
    test.x[3] = train.x[6]  # Its neighbour in the training has the other label.
    test.y[3] = 1 - train.y[6]
    model = Deterministic(_network(), prior_scale=1.0, num_data=40, seed=0)
    model.compile(keras.optimizers.Adam(0.05))
    model.fit(*train, epochs=60, verbose=0)
    result = evaluate(model, test, train=train, num_resamples=20, influence=40)
    causes = result.causes
    assert causes["images"].shape == (8, 4, 4, 1) and causes["effects"].shape == (8, 5)
    assert (causes["effects"] <= 0).all()
    assert list(causes["reasons"]) == ["doubtful"] * 4 + ["wrong"] * 4
    worst = np.argsort(-causes["effects"].sum(axis=1))[-1]
    pushed = [np.array_equal(image, train.x[6]) for line in causes["pushing"]
              for image in line]
    assert any(pushed) and 0 <= worst < 8
    # The same rows as by the function that it calls.
    place = int(np.flatnonzero([np.array_equal(image, causes["images"][4])
                                for image in test.x])[0])
    found = influence(model, train, (test.x[place:place + 1], test.y[place:place + 1]),
                      solver="cg", max_gradient=None)
    np.testing.assert_array_equal(causes["pushing"][4][0],
                                  train.x[found.ranked(0, 1, helpful=False)[0]])
    assert "Which training images pushed it there?" in html_report([result])


def test_samplers_have_no_minimum_to_explain():
    train = _rows(20)
    model = SGLD(_network(), num_kept=2, seed=0)
    model.compile(keras.optimizers.SGD(1e-3))
    model.fit(*train, epochs=4, batch_size=10, verbose=0)
    prediction = model.predict_uncertainty(train.x)
    assert explained_rows(model, train, train, prediction, count=1) is None
