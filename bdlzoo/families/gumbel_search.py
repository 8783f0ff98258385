"""Search for action sequences with Gumbel noise, from the root of their tree downwards.

    a_opt = argmax over a of log pi(a) + gamma(a)                a draw of the policy
    a_dir = argmax over a of log pi(a) + gamma(a) + epsilon R(a)    the same noise

There are exponentially many sequences `a`, and each has a Gumbel number. None of them
is drawn in advance. A region is a prefix with the actions that may follow it, and knows
the largest `log pi + gamma` of its sequences, G. To expand a region, the action that
leads to this largest one is drawn from the policy; the maximum and its place are
independent. What begins with that action is a region with the same G. The others are a
region whose largest value is a Gumbel number around the log of their probability m,
truncated at G:

    G' = m - log(Exp(1) + exp(m - G))

From the root along the same G is a_opt. Then regions are taken best first, by

    G + epsilon (reward so far + bound_weight * bound of rewards to come)

With bounds that hold and a weight of 1 this is A*: when all other regions are below the
best sequence found so far, it is a_dir. For epsilon < 0 it takes lower bounds.

Reference: Maddison, Tarlow and Minka, A* Sampling, NeurIPS 2014; Lorberbom et al.,
Direct Policy Gradients: Direct Optimization of Policies in Discrete Action Spaces,
NeurIPS 2020.
"""

import heapq
import typing

import numpy as np

from bdlzoo.core import counter_noise
from bdlzoo.worlds.world import joined, rows

_CHOICE, _CUT = range(2)  # What noise is for.
_ROUNDING = 1e-9


class Sequence(typing.NamedTuple):
    """A whole sequence of actions, to the end of its episode."""

    gumbel: float  # log pi(a) + gamma(a)
    total: float  # Discounted return R(a).
    place: "_Place"  # Where it ends.

    def trail(self):
        """Places before each of its actions, and the actions."""
        places, actions, place = [], [], self.place
        while place.before is not None:
            actions.append(place.action)
            place = place.before
            places.append(place)
        return places[::-1], np.array(actions[::-1], "int64")


class Found(typing.NamedTuple):
    """What the search of one episode has found."""

    opt: Sequence
    direct: Sequence  # The same object as `opt` if nothing is better.
    completed: list  # All sequences to their end, `opt` the first.
    steps: int  # Steps of the world.
    exact: bool  # Whether nothing better is left, if the bounds hold.
    bound_gap: float  # How far rewards to come were above (or below) their bound.


class _Place:
    """A state of an episode, and the way to it: a prefix."""

    __slots__ = ("state", "seen", "before", "action", "depth", "log_prob", "total",
                 "bound", "log_policy", "name")

    def __init__(self, state, seen, before, action, log_prob, total, bound):
        self.state, self.seen, self.before, self.action = state, seen, before, action
        self.depth = 0 if before is None else before.depth + 1
        self.log_prob, self.total, self.bound = log_prob, total, bound
        self.log_policy = None  # Known once a region of it is expanded.
        self.name = 0  # A number of 64 bits that stands for the prefix.


class _Region(typing.NamedTuple):
    place: _Place
    allowed: np.ndarray  # Actions that may follow, `[A]`.
    gumbel: float  # The largest of its sequences.


class _Search:
    """The search of one episode."""

    def __init__(self, number, root, gumbel, num_actions, epsilon, bound_weight):
        self.number, self.epsilon, self.bound_weight = number, epsilon, bound_weight
        self.next = _Region(root, np.ones(num_actions, bool), gumbel)  # Towards a_opt.
        self.heap, self.count = [], 0
        self.opt = self.best = None
        self.completed, self.steps, self.later, self.bound_gap = [], 0, 0, 0.0

    def objective(self, sequence):
        return sequence.gumbel + self.epsilon * sequence.total

    def most(self, region):
        """No sequence of a region is above this, if its bound holds."""
        place = region.place
        # Without a bound, nothing is known.
        return region.gumbel + self.epsilon * (place.total + place.bound) if (
            np.isfinite(place.bound)) else np.inf

    def push(self, region):
        if self.is_hopeless(region):
            return
        place = region.place
        ahead = self.bound_weight * place.bound if np.isfinite(place.bound) else 0.0
        # The count decides between equals.
        heapq.heappush(self.heap, (-(region.gumbel + self.epsilon * (
            place.total + ahead)), self.count, region))
        self.count += 1

    def is_hopeless(self, region):
        return self.best is not None and (
            self.most(region) <= self.objective(self.best))

    def take(self, most):
        """Regions to expand now."""
        if self.opt is None:
            return [self.next]
        found = []
        while self.heap and len(found) < most:
            region = heapq.heappop(self.heap)[-1]
            if not self.is_hopeless(region):
                found.append(region)
        return found

    def complete(self, sequence):
        self.completed.append(sequence)
        if self.opt is None:
            self.opt = self.best = sequence
        elif self.objective(sequence) > self.objective(self.best):
            self.best = sequence
        place = sequence.place.before
        while place is not None:  # Discounted from the start, as totals are.
            excess = (sequence.total - place.total - place.bound) * np.sign(
                self.epsilon)
            if np.isfinite(excess):
                self.bound_gap = max(self.bound_gap, excess)
            place = place.before

    def found(self):
        open_ones = any(not self.is_hopeless(region) for *_, region in self.heap)
        return Found(self.opt, self.best, self.completed, self.steps, not open_ones,
                     self.bound_gap if self.bound_gap > _ROUNDING else 0.0)


def search(world, seeds, log_policy, epsilon, noise_seeds, discount=1.0, budget=None,
           bound="world", bound_weight=1.0, at_once=1, until="best"):
    """Searches for a_opt and a_dir in several episodes, side by side.

    The policy is asked about the frontiers of all episodes at once.

    Args:
        world: `World`.
        seeds: Integers `[E]`, the seeds of the episodes.
        log_policy: Function from observations `[B, *shape]` to log probabilities of
            actions, `[B, A]`.
        epsilon: Float that is not 0, weight of returns; it may be negative.
        noise_seeds: Integers `[E]`, seeds of the Gumbel noise.
        discount: Float, factor of rewards for each step.
        budget: Integer, steps of the world for each episode after a_opt is there;
            `None` for no limit.
        bound: `"world"` for the bounds of the world, `None` for none, or a function of
            a state and the discount to lower and upper bounds of the discounted
            rewards to come, `[B]` each.
        bound_weight: Float, 1 for A*; less is greedier, and not exact.
        at_once: Integer, regions of an episode that are expanded together.
        until: `"best"`, or `"better"` to end at the first sequence that is better than
            a_opt, which is not exact.

    Returns:
        List of `Found`.
    """
    check_end(until)
    bounds = _bounds_of(world, bound, epsilon, discount)
    budget = np.inf if budget is None else budget
    state = world.start(seeds)
    seen, ahead = world.observe(state), bounds(state)
    gumbels = counter_noise.gumbel(np.asarray(noise_seeds), -1)
    searches = [_Search(
        number, _Place(rows(state, [row]), seen[row], None, None, 0.0, 0.0, ahead[row]),
        gumbels[row], world.num_actions, epsilon, bound_weight)
        for row, number in enumerate(np.asarray(noise_seeds).tolist())]
    active = list(searches)
    while active:
        taken, going = [], []
        for each in active:
            regions = each.take(at_once)
            taken.extend((each, region) for region in regions)
            if regions:
                going.append(each)
        active = going
        if taken:
            _expand(world, taken, log_policy, bounds, discount)
        active = [each for each in active if each.opt is None or (
            each.later < budget and (until == "best" or each.best is each.opt))]
    return [each.found() for each in searches]


def check_end(until):
    """Raises where it is unknown when a search is to end."""
    if until not in ("best", "better"):
        raise ValueError("Expected \"best\" or \"better\". Received: "
                         f"until={until!r}")


def _expand(world, taken, log_policy, bounds, discount):
    """Splits regions by the action of their largest sequence, and takes it."""
    _ask(taken, log_policy)
    log_policies = np.stack([region.place.log_policy for _, region in taken])  # [K, A]
    allowed = np.stack([region.allowed for _, region in taken])
    tops = np.array([region.gumbel for _, region in taken])
    so_far = np.array([region.place.log_prob for _, region in taken])
    numbers = np.array([each.number for each, _ in taken], "int64")
    # Noise is that of a region, in whatever order regions are expanded.
    names = np.array([region.place.name for _, region in taken], "int64")
    actions, left, cut = split_region(log_policies, allowed, tops, so_far,
                                      numbers, names)
    step = world.step(joined([region.place.state for _, region in taken]), actions)
    seen, ahead = world.observe(step.state), bounds(step.state)
    below = counter_noise.words(names, actions).astype("int64").tolist()
    for row, (each, region) in enumerate(taken):
        place, action = region.place, int(actions[row])
        factor = discount**place.depth
        child = _Place(
            rows(step.state, [row]), seen[row], place, action,
            place.log_prob + log_policies[row, action],
            place.total + factor * step.rewards[row], factor * discount * ahead[row])
        child.name = below[row]
        each.steps += 1
        each.later += each.opt is not None
        within = _Region(child, np.ones(world.num_actions, bool), tops[row])
        if step.ended[row]:
            each.complete(Sequence(tops[row], child.total, child))
        elif each.opt is None:
            each.next = within
        else:
            each.push(within)
        if left[row].any():
            each.push(_Region(place, left[row], cut[row]))


def split_region(log_policies, allowed, tops, so_far, numbers, names):
    """Draws which action the largest sequence begins with, and the largest other one.

    Args:
        log_policies: Log probabilities of actions, `[K, A]`.
        allowed: Bools `[K, A]`, the actions of the regions.
        tops: Largest values of the regions, `[K]`.
        so_far: Log probabilities of the prefixes, `[K]`.
        numbers: Integers `[K]`, seeds of the noise.
        names: Integers `[K]` that stand for the prefixes.

    Returns:
        Actions `[K]`, the actions that are left `[K, A]`, and the largest values of
        the regions that are left `[K]`.
    """
    places, gone = np.arange(len(tops)), (~allowed).sum(axis=1)
    possible = np.where(allowed, log_policies, -np.inf)
    noisy = possible + counter_noise.gumbel(
        numbers[:, None], _CHOICE, names[:, None], gone[:, None],
        np.arange(allowed.shape[1]))
    actions = noisy.argmax(axis=1)
    left = allowed & np.isfinite(log_policies)
    left[places, actions] = False
    with np.errstate(divide="ignore"):
        middle = so_far + np.logaddexp.reduce(
            np.where(left, log_policies, -np.inf), axis=1)
    return actions, left, truncated_gumbel(
        middle, tops, counter_noise.exponential(numbers, _CUT, names, gone))


def truncated_gumbel(location, top, exponential):
    """Gumbel numbers around `location` that are below `top`.

    Args:
        location: Array.
        top: Array.
        exponential: Numbers of the exponential distribution with mean 1.
    """
    # In logs: exp(location - top) may be too large for a number.
    with np.errstate(invalid="ignore"):
        found = location - np.logaddexp(np.log(exponential), location - top)
    return np.where(np.isneginf(location), -np.inf, np.minimum(found, top))


def _ask(taken, log_policy):
    """Asks the policy about places that it was not asked about yet."""
    new = list({id(region.place): region.place for _, region in taken
                if region.place.log_policy is None}.values())
    if new:
        answers = np.asarray(log_policy(np.stack([place.seen for place in new])),
                             "float64")
        for place, answer in zip(new, answers):
            place.log_policy = answer


def _bounds_of(world, bound, epsilon, discount):
    """Function from states to the bounds that the sign of epsilon needs."""
    if epsilon == 0 or not np.isfinite(epsilon):
        raise ValueError("Expected a finite number that is not 0. Received: "
                         f"epsilon={epsilon}")
    if bound is None:
        return lambda state: np.full(len(state["seed"]), np.inf)
    if bound != "world" and not callable(bound):
        raise ValueError("Expected \"world\", `None`, or a function of a state and the "
                         f"discount. Received: bound={bound!r}")
    bounds = world.bounds if bound == "world" else bound
    return lambda state: np.asarray(bounds(state, discount)[int(epsilon > 0)],
                                    "float64")
