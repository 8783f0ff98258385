"""Sets for any classifier: those of a calibrated model, with coverage as promised."""

import keras
import numpy as np
import pytest

from bdlzoo.conformal import PredictionSets
from bdlzoo.methods import Deterministic

NUM_CLASSES = 5
METHODS = ("lac", "aps", "raps")


def _rows(count, seed=0):
    """Rows of numbers and a class that they do not decide."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 3)).astype("float32")
    weights = np.random.default_rng(1).normal(size=(3, NUM_CLASSES))
    noise = rng.gumbel(size=(count, NUM_CLASSES))
    return x, np.argmax(2.0 * x @ weights + noise, axis=1)


def _network(softmax=True):
    keras.utils.set_random_seed(0)
    layers = [keras.Input((3,)), keras.layers.Dense(8, "tanh"),
              keras.layers.Dense(NUM_CLASSES)]
    return keras.Sequential(layers + [keras.layers.Softmax()] * softmax)


@pytest.mark.parametrize("method", METHODS)
def test_sets_are_those_of_a_calibrated_model(method):
    network = _network(softmax=False)
    model = Deterministic(network, seed=0)
    model.compile()
    (x, y), (new, _) = _rows(200), _rows(100, seed=2)
    model.calibrate(x, y, method=method, level=0.8)
    sets = PredictionSets(network, method, 0.8, likelihood="categorical").fit(x, y)
    np.testing.assert_array_equal(
        sets.predict(new), model.predict_uncertainty(new).prediction_set)


def _covered(sets, x, y, groups=None):
    return sets.predict(x, groups)[np.arange(len(y)), y]


def _splits(count, sets, num_fit=99, num_test=400, groups=None):
    """Coverage of the test rows of random splits."""
    x, y = _rows(4000)
    rng = np.random.default_rng(3)
    for _ in range(count):
        places = rng.permutation(len(y))[:num_fit + num_test]
        fit, test = places[:num_fit], places[num_fit:]
        of = (None, None) if groups is None else (groups[fit], groups[test])
        sets.fit(x[fit], y[fit], of[0])
        yield _covered(sets, x[test], y[test], of[1]), test


@pytest.mark.parametrize("method", METHODS)
def test_coverage_is_within_its_bounds(method, count=12):
    sets = PredictionSets(_network(), method, level=0.8)
    means = [covered.mean() for covered, _ in _splits(count, sets)]
    error = np.std(means) / np.sqrt(count)
    assert 0.8 - 3 * error < np.mean(means) < 0.8 + 1 / 100 + 3 * error


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_coverage_is_within_its_bounds_over_200_splits(method):
    test_coverage_is_within_its_bounds(method, count=200)


def test_coverage_holds_in_each_group_and_class():
    x, y = _rows(4000)
    groups = np.where(x[:, 0] > 0.8, "rare", "usual")
    plain, own = (PredictionSets(_network(), level=0.8) for _ in range(2))
    by_class = PredictionSets(_network(), level=0.8, by_class=True)
    found = {"plain": [], "groups": [], "classes": []}
    for name, sets, of in (("plain", plain, None), ("groups", own, groups),
                           ("classes", by_class, None)):
        for covered, test in _splits(8, sets, num_fit=600, groups=of):
            kinds = y[test] if name == "classes" else groups[test]
            found[name].append([covered[kinds == kind].mean()
                                for kind in np.unique(kinds)])
    for name in ("groups", "classes"):
        means = np.mean(found[name], axis=0)
        error = np.std(found[name], axis=0) / np.sqrt(8)
        assert (abs(means - 0.81) < 0.01 + 4 * error).all(), (name, means)
    # Without groups the rare ones are far from the level that was asked for.
    assert abs(np.mean(found["plain"], axis=0)[0] - 0.8) > 0.05


def test_sets_of_a_group_are_those_of_its_rows_alone():
    network = _network()
    x, y = _rows(400)
    groups = (x[:, 0] > 0).astype(int)
    right = network.predict(x, verbose=0).argmax(axis=1)
    y = np.where(groups, right, y)  # In one group the model is always right.
    options = dict(method="raps", level=0.9, penalty=0.3)
    together = PredictionSets(network, **options).fit(x, y, groups)
    found = together.predict(x, groups)
    assert together.rules[0].extra != together.rules[1].extra
    for group in (0, 1):
        rows = groups == group
        alone = PredictionSets(network, **options).fit(x[rows], y[rows])
        np.testing.assert_array_equal(found[rows], alone.predict(x[rows]))


def test_other_models_and_rows_are_refused():
    x, y = _rows(50)
    sets = PredictionSets(_network())
    with pytest.raises(ValueError, match="call `fit"):
        sets.predict(x)
    with pytest.raises(ValueError, match="class from 0 to 4"):
        sets.fit(x, y + 1)
    with pytest.raises(ValueError, match="class from 0 to 4"):
        sets.fit(x, y[:-1])
    with pytest.raises(ValueError, match="in group 'few'"):
        sets.fit(x, y, groups=np.where(np.arange(50) < 3, "few", "many"))
    with pytest.raises(ValueError, match="Received both"):
        PredictionSets(_network(), by_class=True).fit(x, y, groups=y)
    with pytest.raises(ValueError, match="method='best'"):
        PredictionSets(_network(), method="best")
    regression = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    with pytest.raises(ValueError, match="use `PredictionIntervals`"):
        PredictionSets(regression, likelihood="gaussian").fit(x, y)
