"""BatchBALD against the fixture, brute force and its inequalities."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdlzoo.core import noise
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.evaluation import batch_bald as module
from bdlzoo.evaluation.batch_bald import batch_bald

KEY = noise.key(5)
A = np.array([[.9, .1], [.1, .9]])  # Draws, classes.
B = np.array([[.8, .2], [.3, .7]])


def _pool(*rows):
    return np.log(np.stack(rows, axis=1))  # [S, N, C]


def _random_pool(draws, rows, classes, seed=0, spread=2.0):
    logits = spread * np.float64(noise.normal([draws, rows, classes],
                                              noise.key(seed)))
    return logits - np.log(np.sum(np.exp(logits), axis=-1, keepdims=True))


def _bald(log_probs):
    return ClassPrediction(log_probs).mutual_information


def _joint_information(log_probs, rows):
    """By the definition: all labels one after the other."""
    probs = np.exp(log_probs)
    joint = [np.mean([np.prod([p[row, y] for row, y in zip(rows, labels)])
                      for p in probs])
             for labels in itertools.product(range(probs.shape[2]),
                                             repeat=len(rows))]
    own = -np.sum(probs * log_probs, axis=-1).mean(axis=0)
    return -np.sum(joint * np.log(joint)) - own[list(rows)].sum()


@pytest.mark.parametrize("rows, scores", [
    ((A, B), [0.368064, 0.417322]), ((A, A), [0.368064, 0.514375]),
    ((B,), [0.132505])])
def test_fixture(rows, scores):
    chosen, found = batch_bald(_pool(*rows), len(rows), KEY)
    np.testing.assert_allclose(found, scores, atol=1e-6)
    assert sorted(chosen) == list(range(len(rows)))


def test_exact_choice_is_that_of_brute_force():
    """All rows that could come next, by the definition, three times over."""
    log_probs = _random_pool(5, 7, 3)
    chosen, scores = batch_bald(log_probs, 3, KEY)
    for count in (1, 2, 3):
        values = {row: _joint_information(log_probs, [*chosen[:count - 1], row])
                  for row in set(range(7)) - set(chosen[:count - 1])}
        assert max(values, key=values.get) == chosen[count - 1]
        assert scores[count - 1] == pytest.approx(max(values.values()), abs=1e-12)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), draws=st.integers(1, 6),
       classes=st.integers(2, 4), spread=st.sampled_from([0.1, 1.0, 5.0, 50.0]))
def test_inequalities_hold(seed, draws, classes, spread):
    log_probs = _random_pool(draws, 6, classes, seed, spread)
    chosen, scores = batch_bald(log_probs, 4, KEY)
    each = _bald(log_probs)
    gains = np.diff(scores, prepend=0.0)
    assert len(set(chosen)) == 4
    assert scores[0] == pytest.approx(each.max(), abs=1e-9)  # One row: BALD.
    assert each[chosen[0]] == pytest.approx(each.max(), abs=1e-8)
    assert (gains > -1e-9).all()
    assert (np.diff(gains) < 1e-8).all()
    for count in range(1, 5):
        own = each[chosen[:count]]
        assert own.max() - 1e-9 <= scores[count - 1] <= own.sum() + 1e-9


def test_copy_of_a_row_is_worth_less_than_the_row():
    log_probs = _random_pool(6, 1, 3)
    _, scores = batch_bald(np.repeat(log_probs, 2, axis=1), 2, KEY)
    assert scores[0] < scores[1] < 2 * scores[0] - 1e-3


def test_copy_adds_nothing_where_draws_are_certain():
    """One-hot draws, with logs of zero: the first label says it all."""
    with np.errstate(divide="ignore"):
        certain = np.log(np.eye(3)[[0, 1, 1, 2]])[:, None]  # [S, 1, C]
    _, scores = batch_bald(np.repeat(certain, 3, axis=1), 3, KEY)
    share = np.array([0.25, 0.5, 0.25])
    np.testing.assert_allclose(scores, -np.sum(share * np.log(share)), atol=1e-9)


def test_row_that_says_something_else_is_preferred_to_a_better_copy():
    """Two bits: both copies tell the first, the weaker row tells the second."""
    first = np.array([.99, .99, .01, .01])
    second = np.array([.9, .1, .9, .1])
    pool = _pool(*(np.stack([p, 1 - p], axis=-1) for p in (first, first, second)))
    chosen, _ = batch_bald(pool, 2, KEY)
    assert chosen[0] in (0, 1) and chosen[1] == 2
    assert set(np.argsort(_bald(pool))[1:]) == {0, 1}


def test_sampled_labels_have_the_law_of_the_mixture():
    """Shares of 27 labels, each with an error of at most 0.0035."""
    log_probs = _random_pool(8, 3, 3, seed=4)
    labels = module._sampled_labels(log_probs, 20_000, noise.key(1))
    shares = np.bincount(np.ravel_multi_index(labels, [3] * 3), minlength=27)
    law = np.einsum("sa,sb,sc->abc", *np.exp(log_probs).transpose(1, 0, 2)) / 8
    np.testing.assert_allclose(shares / 20_000, law.ravel(), atol=0.015)


@pytest.mark.parametrize("limit", [1, 200, 5000])
def test_sampled_gains_lie_within_their_error(limit):
    """Beyond `limit` labels; a gain varies by at most its bound, log(4)."""
    log_probs = _random_pool(10, 5, 4, seed=2)
    _, exact = batch_bald(log_probs, 5, KEY, num_configurations=4**5)
    found = np.stack([batch_bald(log_probs, 5, key, num_configurations=limit)[1]
                      for key in noise.split(KEY, 4)])
    assert (np.diff(found, axis=1) >= -1e-9).all()  # Whatever was drawn.
    np.testing.assert_allclose(found, np.broadcast_to(exact, found.shape),
                               atol=4 * np.log(4) / np.sqrt(limit))
    np.testing.assert_allclose(found[:, 0], exact[0], atol=1e-12)


def test_chunks_of_the_pool_change_nothing(monkeypatch):
    log_probs = _random_pool(4, 23, 3)
    whole = batch_bald(log_probs, 4, KEY)
    monkeypatch.setattr(module, "_BUDGET", 8 * 3 * 5)  # Five rows at first.
    for a, b in zip(whole, batch_bald(log_probs, 4, KEY)):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_many_rows_of_many_classes_do_not_underflow():
    log_probs = _random_pool(20, 40, 10, spread=20.0)
    rows, scores = batch_bald(log_probs, 30, KEY, num_configurations=100)
    assert len(set(rows)) == 30 and np.isfinite(scores).all()
    assert scores[-1] <= np.log(20) + 1e-6  # No more than which draw it is.


def test_more_rows_than_the_pool_has_are_refused():
    with pytest.raises(ValueError, match="at most all 2 rows. Received: count=3"):
        batch_bald(_pool(A, B), 3, KEY)
