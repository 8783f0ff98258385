"""DBSN and its baselines differ in what they learn and draw, and in nothing else."""

import functools

import keras
import numpy as np
import pytest

from bdlzoo.core import keras_internals
from bdlzoo.networks import CellMLP
from tools.reproduce.structure_baselines import METHODS, structure_baseline

MAKE = functools.partial(CellMLP, (3,), 2, cells=1, num_nodes=2, growth=2)


def _model(method):
    return structure_baseline(method, MAKE, num_data=100, epochs=10, batch_size=10,
                              num_samples=5)


def test_methods_are_those_of_the_paper():
    found = {}
    for method in METHODS:
        model = _model(method)
        rates = {layer.rate for layer in keras_internals.layers(model.network)
                 if isinstance(layer, keras.layers.Dropout)}
        found[method] = (model.learn_structure, model.draw_structure,
                         model.num_samples, *rates)
    assert found == {
        "dbsn": (True, True, 5), "map": (True, False, 1), "fixed": (False, False, 1),
        "prior": (False, True, 5), "mc_dropout": (False, False, 5, 0.2),
        "drop_path": (False, False, 5, 0.3)}


def test_those_without_dropout_start_from_the_same_weights():
    first, *others = [_model(method).network.trainable_variables
                      for method in METHODS[:4]]
    for other in others:
        for a, b in zip(first, other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_schedules_end_with_training():
    model = _model("dbsn")
    assert float(model.law(95, 5).tau) == 1.0 < float(model.law(90, 5).tau)
    assert float(model.law(0, 5).beta) == 0.5 < float(model.law(0, 4).beta)
    assert model.optimizer.global_clipnorm == 5.0
    assert model.structure_optimizer.beta_1 == 0.5


def test_a_wrong_method_is_refused():
    with pytest.raises(ValueError, match="method='darts'"):
        _model("darts")
