"""The lazy tree of Gumbel numbers, against all sequences and their laws."""

import itertools

import numpy as np
import pytest
from scipy import stats

from bdlzoo.families import gumbel_search
from bdlzoo.families.gumbel_search import search, truncated_gumbel
from bdlzoo.worlds import DeepSea, Rooms

_EULER = 0.5772156649


def tabular(world, seed=0):
    """A policy with a random table, one row for each cell."""
    logits = np.random.default_rng(seed).normal(size=(world.size**2, 2))
    table = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    return lambda seen: table[seen.reshape(len(seen), -1).argmax(axis=1)]


def probabilities(world, log_policy):
    """Probabilities of all plans, by the plan."""
    plans = np.array(list(itertools.product((0, 1), repeat=world.size)))
    state, total = world.start(np.zeros(len(plans))), 0.0
    for actions in plans.T:
        total += log_policy(world.observe(state))[np.arange(len(plans)), actions]
        state = world.step(state, actions).state
    return {tuple(plan): np.exp(log) for plan, log in zip(plans.tolist(), total)}


def plan_of(sequence):
    return tuple(sequence.trail()[1].tolist())


@pytest.fixture(scope="module")
def expanded():
    """All sequences of many searches that leave none out."""
    world = DeepSea(2, cost=0.3)
    policy = tabular(world)
    found = search(world, np.zeros(6000), policy, 0.5, np.arange(6000), bound=None)
    return found, probabilities(world, policy)


def test_leaves_have_independent_gumbel_numbers_of_the_right_law(expanded):
    found, expected = expanded
    gumbels = np.array([[dict((plan_of(one), one.gumbel) for one in each.completed)[p]
                         for p in expected] for each in found])  # [E, plans]
    centred = gumbels - np.log(list(expected.values()))
    for leaf in centred.T:
        assert stats.kstest(leaf, "gumbel_r").pvalue > 1e-4
    assert np.abs(np.corrcoef(centred.T) - np.eye(4)).max() < 0.06
    np.testing.assert_allclose(gumbels.max(axis=1).mean(), _EULER, atol=0.06)
    np.testing.assert_allclose(gumbels.max(axis=1).var(), np.pi**2 / 6, rtol=0.1)


def test_first_sequence_is_a_draw_of_the_policy_and_the_largest(expanded):
    found, expected = expanded
    counts = {plan: 0 for plan in expected}
    for each in found:
        counts[plan_of(each.opt)] += 1
        assert each.opt.gumbel == max(one.gumbel for one in each.completed)
    assert stats.chisquare(list(counts.values()), [
        len(found) * p for p in expected.values()]).pvalue > 1e-4


def test_best_one_is_that_of_all_sequences(expanded):
    found, _ = expanded
    for each in found:
        assert each.exact and len(each.completed) == 4
        objectives = [one.gumbel + 0.5 * one.total for one in each.completed]
        assert each.direct is each.completed[int(np.argmax(objectives))]
    assert 0.02 < np.mean([each.direct is not each.opt for each in found]) < 0.5


@pytest.mark.parametrize("epsilon", [3.0, 0.4, -0.4, -3.0])
@pytest.mark.parametrize("at_once", [1, 4])
def test_a_star_equals_brute_force_on_the_same_noise(epsilon, at_once):
    world = DeepSea(6, cost=0.2, treasure=1.0, spread=3.0)
    policy, seeds = tabular(world, 1), np.arange(60)
    every = search(world, seeds, policy, epsilon, seeds + 7, bound=None)
    found = search(world, seeds, policy, epsilon, seeds + 7, at_once=at_once)
    for brute, star in zip(every, found):
        assert len(brute.completed) == 64 and star.exact and star.bound_gap == 0.0
        assert plan_of(star.direct) == plan_of(brute.direct)
        assert plan_of(star.opt) == plan_of(brute.opt)
        assert star.direct.gumbel == brute.direct.gumbel
    if abs(epsilon) > 1:
        assert np.mean([star.steps for star in found]) < 0.6 * np.mean(
            [brute.steps for brute in every])


def test_discount_and_side_by_side_change_nothing_else():
    world = Rooms(2, 2, horizon=7)

    def policy(seen):
        return np.full((len(seen), 5), -np.log(5.0))

    seeds = np.arange(12)
    together = search(world, seeds, policy, 8.0, seeds, discount=0.9, budget=400)
    for seed, found in zip(seeds, together):
        [alone] = search(world, [seed], policy, 8.0, [seed], discount=0.9, budget=400)
        assert plan_of(alone.direct) == plan_of(found.direct)
        places, actions = found.direct.trail()
        state, total = world.start([seed]), 0.0
        for time, (place, action) in enumerate(zip(places, actions)):
            np.testing.assert_array_equal(place.seen, world.observe(state)[0])
            step = world.step(state, np.array([action]))
            state, total = step.state, total + 0.9**time * step.rewards[0]
        assert step.ended.all()
        np.testing.assert_allclose(found.direct.total, total)


def test_budget_and_greed_keep_what_is_better():
    world = Rooms(2, 3)

    def policy(seen):
        return np.full((len(seen), 5), -np.log(5.0))

    seeds = np.arange(8)
    for weight in (0.2, 1.0):
        found = search(world, seeds, policy, 20.0, seeds, 0.97, budget=150,
                       bound_weight=weight)
        for each in found:
            gained = 20.0 * (each.direct.total - each.opt.total) + (
                each.direct.gumbel - each.opt.gumbel)
            assert gained >= 0.0 and each.steps <= 150 + len(each.opt.trail()[1])
    none = search(world, seeds, policy, 20.0, seeds, 0.97, budget=0)
    assert all(each.direct is each.opt and not each.exact for each in none)


def test_search_may_end_at_the_first_sequence_that_is_better():
    world, seeds = DeepSea(6, cost=0.2, spread=3.0), np.arange(60)
    policy = tabular(world, 1)
    best, better = (search(world, seeds, policy, 2.0, seeds, bound=None, until=until)
                    for until in ("best", "better"))
    for whole, early in zip(best, better):
        assert plan_of(early.opt) == plan_of(whole.opt)
        assert early.steps <= whole.steps
        # Nothing better is left out: only how good it is differs.
        assert (early.direct is early.opt) == (whole.direct is whole.opt)
        assert early.exact or early.direct is early.completed[-1]
    assert sum(each.steps for each in better) < 0.9 * sum(
        each.steps for each in best)
    with pytest.raises(ValueError, match="until='soon'"):
        search(world, [0], policy, 1.0, [0], until="soon")


def test_bound_that_does_not_hold_is_found():
    world = DeepSea(3, cost=0.1)
    policy = tabular(world)

    def low(state, discount):
        lower, upper = world.bounds(state, discount)
        return lower, upper - 0.5

    found = search(world, np.arange(20), policy, 1.0, np.arange(20), bound=low)
    assert max(each.bound_gap for each in found) > 0.4
    found = search(world, np.arange(20), policy, -1.0, np.arange(20), bound=low)
    assert max(each.bound_gap for each in found) == 0.0


def test_truncated_gumbel_is_that_of_the_formula_and_cannot_overflow():
    np.testing.assert_allclose(truncated_gumbel(-1.0, 0.5, 0.7), -0.920015, atol=1e-6)
    found = truncated_gumbel(np.array([-3.0, 900.0, -np.inf]),
                             np.array([-2000.0, 0.0, 1.0]), np.full(3, 0.5))
    np.testing.assert_array_equal(found[[0, 2]], [-2000.0, -np.inf])
    assert -1e-6 < found[1] <= 0.0


def test_action_that_the_policy_never_takes_is_never_taken():
    world = DeepSea(3)

    def policy(seen):
        return np.tile([0.0, -np.inf], (len(seen), 1))

    [found] = search(world, [0], policy, 1.0, [0], bound=None)
    assert len(found.completed) == 1 and plan_of(found.opt) == (0, 0, 0)


def test_wrong_arguments_are_refused():
    world = DeepSea(3)
    for epsilon in (0.0, np.inf):
        with pytest.raises(ValueError, match=f"epsilon={epsilon}"):
            search(world, [0], tabular(world), epsilon, [0])
    with pytest.raises(ValueError, match="bound='best'"):
        search(world, [0], tabular(world), 1.0, [0], bound="best")
    assert gumbel_search.Found._fields[:2] == ("opt", "direct")
