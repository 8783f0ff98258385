"""Steps of one call: few calls for small models, and never a step too many."""

import keras
import numpy as np

from tests.model.toy_models import Density, compiled

X = np.random.default_rng(0).normal(size=(70, 4)).astype("float32")


def test_steps_of_a_call_divide_those_of_an_epoch():
    model = compiled(Density)
    model.fit(X, batch_size=2, epochs=2, verbose=0)
    assert model.steps_per_execution == 7  # The largest that divides 35.
    assert int(model.optimizer.iterations) == 70
    fixed = compiled(Density)
    fixed.compile("adam", steps_per_execution=2)
    fixed.fit(X, batch_size=7, verbose=0)
    assert fixed.steps_per_execution == 2


def test_second_training_has_the_steps_of_its_own_data():
    model = compiled(Density)
    for rows, steps in ((70, 35), (16, 43), (70, 78)):
        model.fit(X[:rows], batch_size=2, verbose=0)
        assert int(model.optimizer.iterations) == steps


def test_evaluation_before_training_does_not_shorten_later_ones():
    model = compiled(Density, keras.optimizers.SGD(0.0))
    model.evaluate(X, batch_size=2, verbose=0)
    logs = model.fit(X, batch_size=2, verbose=0, validation_data=X).history
    cost = 0.5 * np.sum(X**2, axis=1).mean()
    found = model.evaluate(X, batch_size=2, verbose=0, return_dict=True)["loss"]
    np.testing.assert_allclose([logs["val_loss"][0], found], cost, rtol=1e-5)


def test_functions_stay_compiled_while_the_steps_of_a_call_do():
    model = compiled(Density)
    model.fit(X, batch_size=2, verbose=0)
    model.evaluate(X, verbose=0)
    before = model.train_function, model.test_function
    model.fit(X[:42], batch_size=2, verbose=0)  # 21 steps, in one call.
    assert model.steps_per_execution == 21 and model.test_function is None
    assert model.train_function is not before[0]
    before = model.train_function
    model.fit(X[:42], batch_size=2, verbose=0)
    assert model.train_function is before
