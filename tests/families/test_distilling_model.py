"""Chains that train a student."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import SGLD, BayesianDarkKnowledge

X = np.random.default_rng(0).normal(size=(64, 2)).astype("float32")
Y = (X[:, 0] > 0).astype("int32")


def _model(kind=BayesianDarkKnowledge, steps=10, student=None, **kwargs):
    keras.utils.set_random_seed(0)
    network = keras.Sequential([keras.Input((2,)), keras.layers.Dense(4, "relu"),
                                keras.layers.Dense(2)])
    model = kind(network, seed=0, own_order=False, **kwargs)
    model.compile(keras.optimizers.SGD(0.1), **(
        {} if student is None else {"student_optimizer": student}))
    rows = tf.data.Dataset.from_tensors((X, Y)).repeat()
    if steps:
        model.fit(rows, steps_per_epoch=steps, num_data=len(X), verbose=0)
    return model


def test_the_chain_is_the_samplers_whatever_the_student_does():
    still = _model(student=keras.optimizers.SGD(0.0))
    quick = _model(student=keras.optimizers.SGD(0.1), input_noise=0.5)
    alone = _model(SGLD)
    for model in (still, quick):
        for a, b in zip(model.network.parts(), alone.network.parts()):
            np.testing.assert_array_equal(a, b)
    assert not np.allclose(still.predict(X, verbose=0), quick.predict(X, verbose=0))
    assert int(quick.num_learnt) == int(quick.student_optimizer.iterations) == 10


def test_the_optimiser_of_the_chain_knows_no_weight_of_the_student():
    model = _model(steps=1)
    chains = {id(v) for v in model.network.trainable_variables}
    assert {id(v) for v in model.trainable_variables} == chains
    assert not chains & {id(v) for v in model.student.variables}


def test_a_student_that_has_learnt_nothing_does_not_predict():
    model = _model(steps=0)
    model.build((None, 2))
    with pytest.raises(ValueError, match="at least one training step"):
        model.predict(X, verbose=0)
