"""An agent in its world, as data that it makes by acting."""

import time

import keras
import numpy as np

from bdlzoo.data import Experience


class Acting(Experience):
    """Counts what an agent does in a world, and keeps what it must remember.

    Args:
        world: `World`.
        steps_per_epoch: Integer, training steps of an epoch.
        memory: Object with `state()` and `restore(state)`, such as a replay buffer;
            `None` for none.
    """

    def __init__(self, world, steps_per_epoch, memory=None):
        super().__init__(steps_per_epoch)
        self.world = world
        self.memory = memory
        self.world_steps = self.episodes = 0
        self.mean_return = np.nan  # Of the episodes that ended in the last epoch.
        self._sum, self._count = 0.0, 0

    def collect(self, model, step):
        return model.collect(self, step)

    def note(self, steps, returns):
        """Counts steps of the world, and episodes that are over.

        Args:
            steps: Integer, steps since the last call.
            returns: Sums of rewards of the episodes that are over.
        """
        self.world_steps += int(steps)
        self.episodes += len(returns)
        self._sum += float(np.sum(returns))
        self._count += len(returns)
        if self._count:
            self.mean_return = self._sum / self._count

    def end_epoch(self):
        """Starts the next mean of returns."""
        self._sum, self._count = 0.0, 0

    def state(self):
        memory = {} if self.memory is None else self.memory.state()
        return {"world_steps": np.int64(self.world_steps),
                "episodes": np.int64(self.episodes),
                "mean_return": np.float64(self.mean_return),
                **{f"memory_{name}": array for name, array in memory.items()}}

    def restore(self, state):
        self.world_steps, self.episodes = (
            int(state[name]) for name in ("world_steps", "episodes"))
        self.mean_return = float(state["mean_return"])
        if self.memory is not None:
            start = len("memory_")
            self.memory.restore({name[start:]: array for name, array in state.items()
                                 if name.startswith("memory_")})


class Returns(keras.callbacks.Callback):
    """Shows the mean return, and how fast the world goes by.

    Args:
        acting: `Acting`.
    """

    def __init__(self, acting):
        super().__init__()
        self.acting = acting

    def on_epoch_begin(self, epoch, logs=None):
        self._start = time.monotonic(), self.acting.world_steps

    def on_train_batch_end(self, batch, logs=None):
        start, before = self._start
        spent = max(time.monotonic() - start, 1e-9)
        logs["return"] = self.acting.mean_return
        logs["steps_per_second"] = (self.acting.world_steps - before) / spent

    def on_epoch_end(self, epoch, logs=None):
        logs.pop("steps_per_second", None)  # It would differ between equal runs.
        logs["return"] = self.acting.mean_return
        logs["world_steps"] = float(self.acting.world_steps)
        self.acting.end_epoch()
