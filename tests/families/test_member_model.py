"""Members trained together are networks trained alone."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.data.epochs import epochs
from bdlzoo.methods import DeepEnsemble

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 4)).astype("float32")
Y = RNG.integers(0, 3, 24)


def _network(**kwargs):
    return keras.Sequential([keras.Input((4,)),
                             keras.layers.Dense(6, activation="relu", **kwargs),
                             keras.layers.Dense(3)])


def _model(optimizer=None, network=None, **kwargs):
    model = DeepEnsemble(network or _network(), num_members=3, seed=0, **kwargs)
    model.compile(optimizer or keras.optimizers.SGD(0.1, momentum=0.9))
    model.build((None, 4))
    return model


@pytest.mark.parametrize("optimizer", [
    lambda: keras.optimizers.SGD(0.1, momentum=0.9),
    lambda: keras.optimizers.Adam(0.01)], ids=["sgd", "adam"])
def test_each_member_trains_as_if_alone_on_its_own_order(optimizer):
    network = _network(kernel_regularizer=keras.regularizers.L2(0.05))
    model = _model(optimizer(), network)
    alone = [model.member(index) for index in range(3)]
    model.fit(X, Y, batch_size=8, epochs=2, verbose=0)
    orders = list(epochs(X, Y, batch_size=8, seed=0, copies=3).take(6))
    for index, member in enumerate(alone):
        member.compile(optimizer(), keras.losses.SparseCategoricalCrossentropy(
            from_logits=True))
        for x, y in orders:
            member.train_on_batch(x[:, index], y[:, index])
        for mine, other in zip(model.member(index).get_weights(),
                               member.get_weights(), strict=True):
            np.testing.assert_allclose(mine, other, atol=2e-5)


def test_batches_of_a_dataset_are_for_all_members():
    model = _model()
    alone = model.member(2)
    batches = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)
    model.fit(batches, verbose=0)
    alone.compile(keras.optimizers.SGD(0.1, momentum=0.9),
                  keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    alone.fit(batches, verbose=0, shuffle=False)
    for mine, other in zip(model.member(2).get_weights(), alone.get_weights(),
                           strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-5)


def test_weights_of_rows_follow_them():
    model = _model()
    before = model.network.get_copy(1).get_weights()
    model.fit(X, Y, sample_weight=np.zeros(24), batch_size=8, verbose=0)
    for old, new in zip(before, model.member(1).get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)


def test_loss_and_metrics_in_training_are_means_over_members():
    model = _model(keras.optimizers.SGD(0.0))
    logs = model.fit(X, Y, batch_size=24, verbose=0).history
    draws = np.asarray(model.sample_outputs(X))
    log_probs = tf.nn.log_softmax(draws).numpy()[:, np.arange(24), Y]
    np.testing.assert_allclose(logs["nll"], -log_probs.mean(), rtol=1e-5)
    np.testing.assert_allclose(
        logs["accuracy"], np.mean(draws.argmax(-1) == Y), rtol=1e-5)


def test_members_predict_in_their_order_and_come_again():
    model = _model()
    draws = np.asarray(model.sample_outputs(X, 7))
    np.testing.assert_array_equal(draws[:4], draws[3:7])
    for index in range(3):
        np.testing.assert_allclose(draws[index], model.member(index)(X), atol=1e-5)


def test_probabilities_are_averaged_not_logits():
    model = _model()
    draws = model.sample_outputs(X)
    np.testing.assert_allclose(model.predict(X, verbose=0),
                               np.mean(tf.nn.softmax(draws), axis=0), atol=1e-6)


def test_initial_weights_are_known_from_the_seed():
    keras.utils.set_random_seed(1)
    first = _model().member(1).get_weights()
    keras.utils.set_random_seed(2)
    for a, b in zip(first, _model().member(1).get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)
    other = DeepEnsemble(_network(), num_members=3, seed=5)
    other.build((None, 4))
    assert np.abs(other.member(1).get_weights()[0] - first[0]).max() > 0.01


def test_errors_say_what_is_wrong():
    with pytest.raises(ValueError, match="at least two members"):
        DeepEnsemble(_network(), num_members=1)
    with pytest.raises(ValueError, match="Keras 3 model"):
        DeepEnsemble("network")
    with pytest.raises(ValueError, match="element by element"):
        _model(keras.optimizers.Adam(global_clipnorm=1.0))
    with pytest.raises(ValueError, match="from 0 to 2"):
        _model().member(3)
    model = _model()
    with pytest.raises(ValueError, match="Expected 4 members"):
        DeepEnsemble(model.network, num_members=4)
