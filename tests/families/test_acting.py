"""An agent in its world: counts, returns, and what is shown of them."""

import numpy as np

from bdlzoo.families.acting import Acting, Returns
from bdlzoo.worlds import DeepSea


def test_means_are_those_of_an_epoch():
    acting = Acting(DeepSea(2), 3)
    callback = Returns(acting)
    callback.on_epoch_begin(0)
    acting.note(10, [])
    logs = {}
    callback.on_train_batch_end(0, logs)
    assert np.isnan(logs["return"]) and logs["steps_per_second"] > 0
    acting.note(5, [1.0, 2.0])
    acting.note(5, [6.0])
    logs = {"loss": 1.0, "steps_per_second": 3.0}
    callback.on_epoch_end(0, logs)
    assert logs == {"loss": 1.0, "return": 3.0, "world_steps": 20.0}
    callback.on_epoch_begin(1)
    acting.note(1, [])
    assert acting.mean_return == 3.0  # The last one that is known.
    acting.note(1, [8.0])
    assert acting.mean_return == 8.0 and acting.episodes == 4


def test_state_is_restored():
    acting, again = Acting(DeepSea(2), 3), Acting(DeepSea(2), 3)
    acting.note(7, [2.0])
    again.restore(acting.state())
    assert (again.world_steps, again.episodes, again.mean_return) == (7, 1, 2.0)
