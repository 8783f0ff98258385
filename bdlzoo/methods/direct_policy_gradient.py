"""Direct policy gradient: two sequences of actions that share their noise.

    a_opt    = argmax over a of log pi(a) + gamma(a),    gamma ~ Gumbel
    a_dir    = argmax over a of log pi(a) + gamma(a) + epsilon R(a)
    gradient = (grad log pi(a_dir) - grad log pi(a_opt)) / epsilon

`a_opt` is a draw of the policy; `a_dir` is found by a search (`gumbel_search`), which
steps the same world from the states that it has been in. The mean over the noise is
exactly the gradient of

    mean over worlds of 1 / epsilon log E_a[exp(epsilon R(a))]
        = E[R] + epsilon / 2 E[variance of R over actions] + ...

for every epsilon that is not 0: small ones give the policy gradient. A positive one
rewards a variance of the return, and a negative one avoids it; the variance is that
over the draws of actions in one world, so that a sure gamble has none. A constant that
is added to all returns changes nothing. A search that ends early, by its budget, gives
a sequence that is better than a_opt but may not be the best one: the estimate is then
biased.

Reference: Lorberbom, Maddison, Heess, Hazan and Tarlow, Direct Policy Gradients: Direct
Optimization of Policies in Discrete Action Spaces, NeurIPS 2020.
"""

import math

import keras
import numpy as np
from absl import logging

from bdlzoo.core.checks import check_count, check_positive
from bdlzoo.families.gumbel_search import check_end, search
from bdlzoo.families.policy_model import PolicyModel, padded


@keras.saving.register_keras_serializable(package="bdlzoo")
class DirectPolicyGradient(PolicyModel):
    """Compares a draw of the policy with a better one that a search finds.

    Args:
        policy: Keras model from an observation to logits of actions.
        epsilon: Float that is not 0, weight of the return in the search. Positive
            values seek risk, negative ones avoid it. A step of an even policy over A
            actions costs log A: where epsilon times the gain is below that of a whole
            sequence, a search hardly finds anything better.
        bound: Bounds of the rewards to come that lead the search: `"world"` for those
            of the world, `None` for none, or a function of a state and the discount to
            lower and upper bounds `[B]`.
        bound_weight: Float, weight of the bound in the order of the search; 1 is A*,
            less is greedier.
        budget: Integer, steps of the world for the search of an episode; `None` for no
            limit, which is exact where the bound holds.
        at_once: Integer, regions of an episode that the search expands together.
        until: `"best"`, or `"better"` to end a search at the first sequence that is
            better than the draw: cheaper by far, and biased.
        discount: Float, factor of rewards for each step.
        num_episodes: Integer, episodes of a training step.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        policy = bdlzoo.networks.MLP((7, 7, 4), hidden=(64,), outputs=5)
        model = bdlzoo.methods.DirectPolicyGradient(policy, epsilon=100.0)
        model.compile("adam")
        model.fit(bdlzoo.worlds.Rooms(), episodes=1000)
        action = model.act(observations, seed=0).action
    """

    def __init__(self, policy, epsilon=1.0, bound="world", bound_weight=1.0, budget=300,
                 at_once=1, until="best", discount=0.99, num_episodes=16, seed=None,
                 **kwargs):
        super().__init__(policy, discount=discount, num_episodes=num_episodes,
                         seed=seed, **kwargs)
        if not epsilon or not math.isfinite(epsilon):
            raise ValueError("Expected a finite number that is not 0. Received: "
                             f"epsilon={epsilon}")
        if bound not in ("world", None) and not callable(bound):
            raise ValueError("Expected \"world\", `None`, or a function of a state and "
                             f"the discount. Received: bound={bound!r}")
        if budget is not None:
            check_count("budget", budget)
        check_count("at_once", at_once)
        check_positive(bound_weight=bound_weight)
        check_end(until)
        self.epsilon = epsilon
        self.bound = bound
        self.bound_weight = bound_weight
        self.budget = budget
        self.at_once = at_once
        self.until = until
        self._warned = False

    def collect(self, acting, step):
        seeds = self.train_seeds(step * self.num_episodes, self.num_episodes)
        found = search(acting.world, seeds, self.log_policy, self.epsilon, seeds + 1,
                       self.discount, self.budget, self.bound, self.bound_weight,
                       self.at_once, self.until)
        acting.note(sum(each.steps for each in found), self._totals(found))
        self._check_bound(found)
        return padded(*self.pairs(found), acting.world.observation_shape)

    def pairs(self, found):
        """Steps of the pairs of sequences, and their weights.

        Args:
            found: List of `Found`.

        Returns:
            Observations, actions and weights, with a row for each step that is not in
            both sequences.
        """
        seen, actions, weights = [], [], []
        for each in found:
            if each.direct is each.opt:
                continue
            trails = each.opt.trail(), each.direct.trail()
            # Steps at the beginning that both take cancel each other.
            same = next(place for place, (a, b) in enumerate(zip(
                *(trail[1] for trail in trails))) if a != b)
            for sign, (places, taken) in zip((-1.0, 1.0), trails):
                seen += [place.seen for place in places[same:]]
                actions.append(taken[same:])
                weights.append(np.full(len(taken) - same, sign))
        if not seen:
            return np.zeros(0), np.zeros(0, int), np.zeros(0)
        return np.stack(seen), np.concatenate(actions), np.concatenate(weights) / (
            self.epsilon * len(found))

    def _totals(self, found):
        """Returns of the draws of the policy, without discount."""
        if self.discount == 1.0:
            return [each.opt.total for each in found]
        totals = []
        for each in found:
            ways = [place.total for place in each.opt.trail()[0]] + [each.opt.total]
            rewards = np.diff(ways) / self.discount**np.arange(len(ways) - 1)
            totals.append(rewards.sum())
        return totals

    def _check_bound(self, found):
        gap = max(each.bound_gap for each in found)
        if gap and not self._warned:
            self._warned = True
            logging.warning(
                "Expected bounds that hold: rewards to come were beyond theirs by "
                "%.3g. The search may miss the best sequence; give another `bound`, "
                "or `bound=None`.", gap)

    def get_config(self):
        bound = self.bound if self.bound in ("world", None) else (
            keras.saving.serialize_keras_object(self.bound))
        return {**super().get_config(), "epsilon": self.epsilon, "bound": bound,
                "bound_weight": self.bound_weight, "budget": self.budget,
                "at_once": self.at_once, "until": self.until}

    @classmethod
    def from_config(cls, config):
        if config["bound"] not in ("world", None):
            config = {**config, "bound": keras.saving.deserialize_keras_object(
                config["bound"])}
        return super().from_config(config)
