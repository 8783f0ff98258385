"""Any posterior as a Q-network: the reduction to a dropout Q-network."""

import numpy as np

from bdlzoo.core import noise
from bdlzoo.methods import DropoutQNetwork, PosteriorQNetwork
from tests.families import q_cases

SEEN = np.eye(9, dtype="float32").reshape(9, 3, 3)


def test_dropout_as_posterior_is_the_dropout_q_network():
    made = [q_cases.network(0.4, kernel=q_cases.table()) for _ in range(2)]
    one = q_cases.agent(DropoutQNetwork, made[0], target="draw", num_samples=8)
    other = q_cases.agent(PosteriorQNetwork, made[1], posterior="MCDropout",
                          target="draw", num_samples=8)
    for model in (one, other):
        model.fit(q_cases.WORLD, episodes=16, epochs=2, verbose=0)
    np.testing.assert_array_equal(one.trainable_variables[0].numpy(),
                                  other.trainable_variables[0].numpy())
    for a, b in zip(one.act(SEEN, seed=5), other.act(SEEN, seed=5)):
        np.testing.assert_array_equal(a, b)


def test_target_of_one_draw_is_a_draw_of_the_posterior():
    model = q_cases.agent(PosteriorQNetwork, q_cases.network(
        0.4, kernel=q_cases.table()), posterior="MCDropout", num_samples=8)
    key = noise.key(3, noise.TRAIN)
    np.testing.assert_array_equal(model.values_for(model.posterior, SEEN, key),
                                  model.posterior.draw(SEEN, 1, key))
    model.target = "mean"
    mean = model.values_for(model.posterior, SEEN, key)[0]
    np.testing.assert_allclose(mean, model.act(SEEN).values, rtol=1e-5)
