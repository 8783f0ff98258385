"""The classifier keeps the contract of scikit-learn, with the zoo's answers."""

import pickle

import keras
import numpy as np
import pytest
from sklearn import base, model_selection, pipeline, preprocessing

from bdlzoo.methods import DeepEnsemble
from tests.sklearn import tables


@pytest.fixture(scope="module")
def trained():
    return tables.classifier().fit(tables.X, tables.NAMES)


def test_labels_of_any_type_come_back(trained):
    probabilities = trained.predict_proba(tables.X)
    assert trained.classes_.tolist() == ["high", "low"]
    np.testing.assert_array_equal(
        trained.predict(tables.X) == "low", probabilities[:, 1] > probabilities[:, 0])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.exp(trained.predict_log_proba(tables.X)),
                               probabilities)
    assert trained.score(tables.X, tables.NAMES) == np.mean(
        trained.predict(tables.X) == tables.NAMES)


def test_probabilities_are_those_of_the_model_for_standard_rows(trained):
    rows = (tables.X - tables.X.mean(axis=0)) / tables.X.std(axis=0)
    expected = trained.model_.predict_uncertainty(rows)
    found = trained.predict_uncertainty(tables.X)
    np.testing.assert_allclose(found.mean, expected.mean, atol=1e-5)
    np.testing.assert_allclose(trained.predict_proba(tables.X), expected.mean,
                               atol=1e-5)
    assert found.num_draws == 4 and found.mutual_information.max() > 0


def test_units_of_the_columns_do_not_matter(trained):
    moved = 1000.0 * tables.X + 7.0
    found = tables.classifier().fit(moved, tables.NAMES).predict_proba(moved)
    np.testing.assert_allclose(found, trained.predict_proba(tables.X), atol=1e-3)


def test_copies_of_the_file_answer_the_same(trained):
    loaded = pickle.loads(pickle.dumps(trained))
    np.testing.assert_array_equal(loaded.predict_proba(tables.X),
                                  trained.predict_proba(tables.X))
    assert not hasattr(base.clone(trained), "model_")


def test_rows_of_weight_zero_do_not_count(trained):
    weights = np.ones(48)
    weights[:8] = 0.0
    wrong = tables.NAMES.copy()
    wrong[:8] = np.where(wrong[:8] == "low", "high", "low")
    models = [tables.classifier().fit(tables.X, y, sample_weight=weights)
              for y in (tables.NAMES, wrong)]
    first, second = (model.predict_proba(tables.X) for model in models)
    np.testing.assert_array_equal(first, second)
    assert np.abs(first - trained.predict_proba(tables.X)).max() > 1e-4


def test_rows_get_the_shape_of_the_network():
    def network(row_shape, outputs):
        assert (row_shape, outputs) == ((3, 1), 2)
        return keras.Sequential([keras.Input(row_shape), keras.layers.Flatten(),
                                 keras.layers.Dense(outputs)])

    model = tables.classifier(method=DeepEnsemble, network=network, row_shape=(3, 1),
                              method_options={"num_members": 2}, num_samples=None)
    model.fit(tables.X, tables.NAMES)
    assert model.model_.num_members == 2


def test_what_cannot_be_trained_is_refused():
    for options, y, words in (
            ({}, ["a"] * 48, "two classes"),
            ({"method": "vae"}, tables.NAMES, "predicts labels"),
            ({"network": keras.Sequential([keras.Input((3,)), keras.layers.Dense(5)])},
             tables.NAMES, "with 2 outputs")):
        with pytest.raises(ValueError, match=words):
            tables.classifier(**options).fit(tables.X, y)
    for weights in (np.zeros(48), -np.ones(48), np.full(48, np.nan), np.ones(3)):
        with pytest.raises(ValueError, match="weight"):
            tables.classifier().fit(tables.X, tables.NAMES, sample_weight=weights)


@pytest.mark.slow
def test_searches_and_pipelines_of_scikit_learn_take_it():
    steps = pipeline.make_pipeline(preprocessing.StandardScaler(),
                                   tables.classifier(epochs=60))
    scores = model_selection.cross_val_score(steps, tables.X, tables.NAMES, cv=3)
    assert scores.shape == (3,) and scores.mean() > 0.7
    search = model_selection.GridSearchCV(
        steps, {"classifier__epochs": [1, 60],
                "classifier__method": ["deterministic", "mc_dropout"]}, cv=2)
    search.fit(tables.X, tables.NAMES)
    assert search.best_params_["classifier__epochs"] == 60
