"""Draws of structures: their law at prediction, what is read of them."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import ExponentialFall
from bdlzoo.core import noise
from bdlzoo.families.structure_model import StructureModel
from bdlzoo.layers.concrete_structure import drawn_by
from bdlzoo.methods import DBSN
from bdlzoo.networks import MLP, CellMLP

X = np.random.default_rng(0).normal(size=(8, 3)).astype("float32")
FALL = keras.optimizers.schedules.PolynomialDecay(1.0, 50, 0.5)


def _model(theta=None, network=None, **kwargs):
    network = network or CellMLP((3,), 2, cells=1, growth=4)
    model = DBSN(network, seed=0, **kwargs)
    model.build((None, 3))
    if theta is not None:
        model.structure.theta.assign(np.broadcast_to(theta, (3, 4)))
    return model


def test_published_schedules_end_where_predictions_are_made():
    model = _model(tau=ExponentialFall(3.0, 1.5e-5, 1.0), beta=FALL)
    assert isinstance(model, StructureModel)
    first, last = model.law(0, 0), model.law()
    assert (float(first.tau), float(first.beta)) == (3.0, 1.0)
    assert (float(last.tau), float(last.beta)) == (1.0, 0.5)
    np.testing.assert_allclose(model.law(0, 1).beta, 0.99)


def test_predictions_are_made_at_the_end_of_the_schedules():
    theta = [1.0, 0.0, -1.0, 0.5]
    falling = _model(theta, tau=ExponentialFall(3.0, 0.1, 0.4), beta=FALL)
    still = _model(theta, tau=0.4, beta=0.5, network=falling.network)
    np.testing.assert_array_equal(falling.sample_outputs(X, 3),
                                  still.sample_outputs(X, 3))


def test_all_rows_of_a_draw_have_one_structure():
    draws = _model().sample_outputs(np.repeat(X[:1], 3, axis=0), 6).numpy()
    np.testing.assert_array_equal(draws[:, :1], draws[:, 1:2])
    assert np.ptp(draws[:, 0], axis=0).max() > 1e-3


def test_draws_agree_where_beta_vanishes_and_are_the_point_estimate():
    cold = _model([1.0, 0.0, -1.0, 0.5], beta=1e-7)
    prediction = cold.predict_uncertainty(X, num_samples=8)
    assert np.max(prediction.mutual_information) < 1e-6
    point = _model(draw_structure=False, network=cold.network)
    np.testing.assert_allclose(cold.sample_outputs(X, 2)[1],
                               point.sample_outputs(X, 1)[0], atol=1e-5)


def test_baselines_without_noise_are_one_network():
    for learnt in (True, False):
        draws = _model([3.0, 0.0, 0.0, 0.0], learn_structure=learnt,
                       draw_structure=False).sample_outputs(X, 3).numpy()
        assert np.ptp(draws, axis=0).max() == 0.0
    dropped = _model(network=CellMLP((3,), 2, growth=4, dropout=0.3),
                     learn_structure=False, draw_structure=False)
    assert np.ptp(dropped.sample_outputs(X, 3).numpy(), axis=0).max() > 1e-3


def test_structures_that_are_not_learnt_have_no_trainable_logits():
    for learnt in (True, False):
        model = _model(learn_structure=learnt)
        names = [weight.name for weight in model.trainable_variables]
        assert ("theta" in names) == learnt


def test_edges_are_read_as_probabilities_and_names():
    theta = np.array([[2.0, 0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 0.5]])
    model = _model(theta, tau=2.0, beta=0.5)
    np.testing.assert_allclose(model.edge_probabilities(),
                               tf.nn.softmax(theta / 0.5), rtol=1e-5)
    assert model.most_probable_structure() == {
        (0, 1): "zero", (0, 2): "dense_relu", (1, 2): "dense_tanh"}
    point = _model(theta, tau=2.0, draw_structure=False)
    np.testing.assert_allclose(point.edge_probabilities(),
                               tf.nn.softmax(theta / 2.0), rtol=1e-5)
    fixed = _model(theta, learn_structure=False)
    np.testing.assert_allclose(fixed.edge_probabilities(), 0.25)


def test_extracted_network_is_the_most_probable_structure():
    model = _model(np.eye(4)[1:], draw_structure=False)
    plain = model.extract_network()
    model.structure.theta.assign(1e4 * np.eye(4)[1:])
    np.testing.assert_allclose(plain(X), model.sample_outputs(X, 1)[0], atol=1e-5)
    assert not any(type(layer).__module__.startswith("bdlzoo")
                   for layer in plain.layers)


def test_prior_on_the_weights_leaves_the_logits_alone():
    model = _model([3.0, 0.0, 0.0, 0.0], prior_scale=0.5, draw_structure=False)
    weights = [w for w in model.trainable_variables if w.name != "theta"]
    expected = sum(np.sum(w.numpy()**2) for w in weights) / (2 * 0.25)
    with noise.draws(noise.key(0)), drawn_by(model.law()):
        np.testing.assert_allclose(model.kl(), expected, rtol=1e-5)


@pytest.mark.parametrize("wrong", [
    {"tau": 0.0}, {"tau": -1.0}, {"beta": 0.0}, {"beta": 1.5},
    {"beta": keras.optimizers.schedules.PolynomialDecay(1.0, 5, 0.0)}])
def test_impossible_temperatures_are_refused(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        _model(**wrong)


def test_networks_without_a_structure_are_refused():
    with pytest.raises(ValueError, match="`ConcreteStructure`.*mlp with 0"):
        _model(network=MLP((3,), (4,), 2))
