"""DBSN: its loss by hand, its two optimisers, its schedules."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import ExponentialFall
from bdlzoo.core import noise
from bdlzoo.layers.concrete_structure import Law, drawn_by
from bdlzoo.methods import DBSN
from bdlzoo.networks import CellCNN, CellMLP

RNG = np.random.default_rng(0)
X = RNG.normal(size=(32, 3)).astype("float32")
Y = (X[:, 0] > 0).astype("int32")
KEY = noise.key(0, noise.TRAIN, 0, 1)
THETA = [1.0, 0.0, -1.0, 0.5]


def _model(network=None, theta=THETA, rate=0.0, structure_rate=0.0, **kwargs):
    network = network or CellMLP((3,), 2, cells=2, growth=4)
    model = DBSN(network, seed=0, **kwargs)
    # Eagerly: a handful of steps take less time than tracing one.
    model.compile(keras.optimizers.SGD(rate), metrics=[], run_eagerly=True,
                  structure_optimizer=keras.optimizers.Adam(structure_rate, beta_1=0.5))
    model.build((None, 3))
    model.structure.theta.assign(np.broadcast_to(theta, (3, 4)))
    return model


def _by_hand(model, place, tau=1.0, beta=0.5):
    """Loss and divergence of one of the structures of step 0."""
    key = noise.fold_in(noise.key(0, noise.TRAIN, 0, 0), place)
    with noise.draws(KEY), drawn_by(Law(tau, beta, key=key)):
        outputs, kl = model.network(X, training=True), model.structure.kl()
    nll = keras.losses.sparse_categorical_crossentropy(Y, outputs, from_logits=True)
    return float(np.mean(nll)), float(kl)


def test_loss_is_that_of_one_structure_and_its_divergence_once():
    """Two cells share the structure: the divergence counts once, over num_data."""
    model = _model(num_data=10)
    logs = model.fit(X, Y, batch_size=32, verbose=0).history
    nll, kl = _by_hand(model, 0)
    np.testing.assert_allclose(logs["nll"][0], nll, rtol=1e-5)
    np.testing.assert_allclose(logs["kl"][0], kl, rtol=1e-5)
    np.testing.assert_allclose(logs["loss"][0], nll + kl / 10, rtol=1e-5)
    assert abs(kl) > 0.1


def test_several_structures_of_a_step_are_averaged():
    model = _model(num_train_samples=3, num_data=10, kl_weight=0.5)
    logs = model.fit(X, Y, batch_size=32, verbose=0).history
    nll, kl = np.transpose([_by_hand(model, place) for place in range(3)])
    assert len(set(kl.round(4))) == 3
    np.testing.assert_allclose(logs["nll"][0], nll.mean(), rtol=1e-5)
    np.testing.assert_allclose(logs["loss"][0], nll.mean() + 0.05 * kl.mean(),
                               rtol=1e-5)


def test_temperatures_fall_by_step_and_by_epoch():
    """Four steps an epoch, the last of them short; resumed, they go on."""
    model = _model(tau=ExponentialFall(3.0, 0.1, 1.0),
                   beta=keras.optimizers.schedules.PolynomialDecay(1.0, 2, 0.5))
    logs = model.fit(X[:25], Y[:25], batch_size=7, epochs=3, verbose=0).history
    np.testing.assert_allclose(logs["beta"], [1.0, 0.75, 0.5], rtol=1e-6)
    rows = np.array([7, 7, 7, 4])
    taus = np.maximum(3.0 * np.exp(-0.1 * np.arange(12)), 1.0).reshape(3, 4)
    np.testing.assert_allclose(logs["tau"], taus @ rows / 25, rtol=1e-5)
    assert int(model.epoch_steps) == 4


def test_structure_of_a_step_is_drawn_at_its_temperatures():
    model = _model(tau=ExponentialFall(3.0, 0.1, 1.0), beta=1.0, num_data=10)
    logs = model.fit(X, Y, batch_size=32, verbose=0).history
    nll, kl = _by_hand(model, 0, tau=3.0, beta=1.0)
    np.testing.assert_allclose(logs["nll"][0], nll, rtol=1e-5)
    np.testing.assert_allclose(logs["kl"][0], kl, rtol=1e-5)


def test_weights_move_by_one_optimiser_and_logits_by_the_other():
    for rate, structure_rate in ((0.1, 0.0), (0.0, 0.1)):
        model = _model(rate=rate, structure_rate=structure_rate)
        theta = model.structure.theta
        weights = [w for w in model.trainable_variables if w is not theta]
        before = [w.numpy() for w in (theta, *weights)]
        model.fit(X, Y, batch_size=32, verbose=0)
        moved = [not np.array_equal(old, new) for old, new in zip(
            before, (theta, *weights), strict=True)]
        assert moved == [structure_rate > 0] + [rate > 0] * len(weights)
        if structure_rate:  # The first step of Adam is its rate.
            np.testing.assert_allclose(abs(theta - before[0]), 0.1, rtol=0.01)
    assert int(model.structure_optimizer.iterations) == 1


def test_published_optimisers_are_the_default():
    model = DBSN(CellMLP((3,), 2, growth=4))
    model.compile()
    assert model.optimizer.momentum == 0.9 and model.optimizer.global_clipnorm == 5.0
    assert model.structure_optimizer.beta_1 == 0.5
    np.testing.assert_allclose(
        [model.optimizer.learning_rate, model.structure_optimizer.learning_rate],
        [0.1, 3e-4], rtol=1e-6)


def test_what_is_not_learnt_stays_and_has_no_divergence():
    for drawn in (True, False):
        model = _model(learn_structure=False, draw_structure=drawn, rate=0.1,
                       structure_rate=0.1)
        logs = model.fit(X, Y, batch_size=32, verbose=0).history
        assert logs["kl"][0] == 0.0
        np.testing.assert_array_equal(model.structure.theta[0], THETA)


def test_file_and_checkpoint_know_both_optimisers(tmp_path):
    options = dict(tau=ExponentialFall(3.0, 0.1, 1.0), rate=0.1, structure_rate=0.01,
                   beta=keras.optimizers.schedules.PolynomialDecay(1.0, 2, 0.5))
    fit = dict(batch_size=16, verbose=0)
    whole = _model(**options)
    start = whole.get_weights()
    whole.fit(X, Y, epochs=2, **fit)
    parts = _model(**options)
    parts.set_weights(start)
    parts.fit(X, Y, epochs=1, checkpoint_dir=tmp_path / "c", **fit)
    parts.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert float(loaded.law(3, 1).beta) == 0.75 == float(parts.law(3, 1).beta)
    loaded.fit(X, Y, epochs=2, checkpoint_dir=tmp_path / "c", **fit)
    for a, b in zip(whole.get_weights(), loaded.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_replicas_share_the_structure_and_not_the_masks():
    model = _model(network=CellMLP((3,), 2, cells=1, growth=64, dropout=0.5))
    strategy = tf.distribute.MirroredStrategy(
        ["CPU:0", "CPU:1"], tf.distribute.ReductionToOneDevice())

    def one():
        context = tf.distribute.get_replica_context()
        own = noise.key(0, noise.TRAIN, 0, 1 + context.replica_id_in_sync_group)
        seen = []
        structure = model.structure.call
        model.structure.call = lambda inputs: seen.append(structure(inputs)) or seen[-1]
        try:
            _, prediction = model.objective(X[:1], Y[:1], None, own)
        finally:
            del model.structure.call
        return seen[0], prediction.log_mean

    alphas, outputs = (strategy.experimental_local_results(t)
                       for t in strategy.run(one))
    np.testing.assert_array_equal(*alphas)
    assert not np.allclose(*outputs, atol=1e-4)


def test_statistics_of_batch_norm_are_those_of_each_structure_in_turn():
    """Two structures a step move the averages twice."""
    network = CellCNN((4, 4, 1), 2, stages=(1,), num_nodes=2, growth=2, stem=2)
    model = DBSN(network, seed=0, num_train_samples=2)
    model.compile(keras.optimizers.SGD(0.0), keras.optimizers.SGD(0.0), metrics=[],
                  run_eagerly=True)
    x = RNG.normal(size=(8, 4, 4, 1)).astype("float32")
    model.fit(x, Y[:8], batch_size=8, verbose=0)
    first = network.layers[-4]  # Behind the cell: it sees the structure.
    assert isinstance(first, keras.layers.BatchNormalization)
    seen = []
    for place in range(2):
        key = noise.fold_in(noise.key(0, noise.TRAIN, 0, 0), place)
        cell = keras.Model(network.input, first.input)
        with noise.draws(KEY), drawn_by(Law(1.0, 0.5, key=key)):
            seen.append(np.mean(cell(x, training=True), axis=(0, 1, 2)))
    expected = 0.01 * (0.99 * seen[0] + seen[1])
    np.testing.assert_allclose(first.moving_mean, expected, rtol=1e-3, atol=1e-6)


def test_epochs_of_unknown_length_are_refused_where_beta_needs_them():
    def rows():
        while True:
            yield X, Y

    data = tf.data.Dataset.from_generator(rows, output_signature=(
        tf.TensorSpec((32, 3)), tf.TensorSpec((32,), tf.int32))).take(2)
    model = _model(beta=keras.optimizers.schedules.PolynomialDecay(1.0, 2, 0.5))
    with pytest.raises(ValueError, match="steps_per_epoch="):
        model.fit(data, num_data=64, verbose=0)
    model.fit(data.repeat(), num_data=64, steps_per_epoch=2, verbose=0)
    assert int(model.epoch_steps) == 2


def test_structure_learns_which_operation_helps():
    """|x| - 1/2 needs a bend: identity and zero lose, what bends wins."""
    x = RNG.uniform(-1, 1, size=(256, 1)).astype("float32")
    y = (abs(x[:, 0]) > 0.5).astype("int32")
    network = CellMLP((1,), 2, cells=1, num_nodes=2, growth=8)
    model = DBSN(network, seed=0, tau=1.0, beta=1.0)
    model.compile(keras.optimizers.SGD(0.2, momentum=0.9),
                  keras.optimizers.Adam(0.02, beta_1=0.5), metrics=[])
    model.fit(x, y, batch_size=64, epochs=60, verbose=0)
    zero, identity, relu, tanh = model.edge_probabilities()[0]
    assert max(relu, tanh) > 0.5 > zero + identity
