"""What a Q-network remembers beside its weights."""

import numpy as np

from bdlzoo.families.acting import Acting
from bdlzoo.methods import DropoutQNetwork
from tests.families import q_cases


def test_state_is_all_there_is():
    model, other = (q_cases.agent(DropoutQNetwork, q_cases.network(
        0.2, kernel=q_cases.table())) for _ in range(2))
    acting = Acting(q_cases.WORLD, 1, model.memory_for(q_cases.WORLD))
    for step in range(3):
        model.collect(acting, step)
    acting.memory.target.network.set_weights([q_cases.table(seed=9)])
    again = Acting(q_cases.WORLD, 1, other.memory_for(q_cases.WORLD))
    again.restore({name: np.array(array) for name, array in acting.state().items()})
    assert again.world_steps == acting.world_steps > 0
    for step in (3, 4):
        for one, two in zip(model.collect(acting, step), other.collect(again, step)):
            np.testing.assert_array_equal(one, two)


def test_copy_takes_all_weights():
    model = q_cases.agent(DropoutQNetwork, q_cases.network(0.2))
    memory = model.memory_for(q_cases.WORLD)
    model.posterior.network.set_weights([q_cases.table(seed=4)])
    memory.copy(model.posterior)
    np.testing.assert_array_equal(memory.target.network.get_weights()[0],
                                  q_cases.table(seed=4))
    model.posterior.network.set_weights([q_cases.table(seed=5)])
    assert (memory.target.network.get_weights()[0] == q_cases.table(seed=4)).all()
