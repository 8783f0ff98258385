"""Networks for a table, with the layers that a method needs."""

import keras
import numpy as np
import pytest

from bdlzoo import methods
from bdlzoo.layers import DenseFlipout
from bdlzoo.sklearn.default_network import default_network, network_of
from bdlzoo.surgery import conversion
from tests.sklearn import tables


def _layers(kind):
    return default_network(kind, (3,), 2).layers


def test_methods_get_the_layers_that_they_need():
    for kind, layer in ((methods.MCDropout, keras.layers.Dropout),
                        (methods.MeanFieldVI, DenseFlipout)):
        assert any(isinstance(found, layer) for found in _layers(kind))
    plain = default_network(methods.DeepEnsemble, (3,), 2)
    assert not conversion.stochastic_layers(plain)


def test_weights_follow_from_the_seed_and_leave_others_alone():
    np.random.seed(5)
    expected = np.random.random()
    np.random.seed(5)
    first, same, other = (network_of(None, methods.Deterministic, (3,), 2, seed)
                          for seed in (1, 1, 2))
    assert np.random.random() == expected
    np.testing.assert_array_equal(first.get_weights()[0], same.get_weights()[0])
    assert np.abs(first.get_weights()[0] - other.get_weights()[0]).max() > 0.01


def test_given_network_is_copied_with_its_weights():
    given = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    found = network_of(given, methods.Deterministic, (3,), 2, 1)
    assert found is not given
    np.testing.assert_array_equal(found.get_weights()[0], given.get_weights()[0])


@pytest.mark.slow
@pytest.mark.parametrize("method", [
    "deterministic", "mc_dropout", "alpha_divergence_dropout", "mean_field_vi",
    "pac_bayes", "deep_ensemble", "dbsn", "sde_net", "degp"])
def test_every_method_of_labels_trains_on_a_table(method):
    model = tables.classifier(method=method, network=None, num_samples=None)
    found = model.fit(tables.X, tables.NAMES).predict_proba(tables.X)
    assert found.shape == (48, 2) and np.isfinite(found).all()
