"""The run of an agent: a world in the place of data.

    world=dict(type="Rooms", num_rooms=2)       of `bdlzoo.worlds`
    world=dict(type="GymWorld", environment="CartPole-v1")
    episodes=2000, test_episodes=200
"""

import functools
import json
import math

from bdlzoo import reports
from bdlzoo.core import registry
from bdlzoo.core.whole_file import write_json
from bdlzoo.reports.episode_film import Frame
from bdlzoo.reports.write_pictures import write_pictures
from bdlzoo.runs.build import load_model
from bdlzoo.runs.config import plain
from bdlzoo.runs.history_file import HistoryFile, read_history
from bdlzoo.runs.run import Run
from bdlzoo.runs.run_folder import config_errors


class AgentRun(Run):
    """One training of an agent, and its folder.

    Args:
        config: `ConfigDict` with `world`, `episodes` and `test_episodes`.
        workdir: Folder of the run: new, empty, or of a run of the same config.
        strategy: `tf.distribute.Strategy` of one device, or `None`.
    """

    counts = ("episodes", "test_episodes", "epochs")

    @functools.cached_property
    def world(self):
        with config_errors(self.config_file):
            return load_world(self.config)

    @property
    def data(self):
        raise self.model.refusal("data")

    target_scale = None

    def _new_model(self):
        return self._signed(load_model(self.config, self.world.observation_shape))

    def record(self):
        self.model.build_for(self.world)
        if self.is_chief:
            self.write_config()

    def fit(self, callbacks=(), verbose="auto"):
        if verbose:
            weights = self.model.trainable_variables
            print(f"{type(self.model).__name__} in {type(self.world).__name__}: "
                  f"{sum(math.prod(w.shape) for w in weights):,} trainable weights")
        self.model.fit(
            self.world, episodes=self.config.episodes, epochs=self.config.epochs,
            verbose=verbose, checkpoint_dir=self.workdir / "checkpoints",
            callbacks=[HistoryFile(self.workdir / "history.csv"), *callbacks])

    def finish(self):
        """There is no step after `fit`."""

    def evaluate(self):
        metrics = self.model.evaluate(self.world, self.config.test_episodes)
        greedy = self.model.evaluate(self.world, self.config.test_episodes, greedy=True)
        metrics.update({f"greedy_{name}": value for name, value in greedy.items()})
        metrics.update(self.model.facts())
        write_json(self.workdir / "metrics.json", metrics)
        return metrics

    def play(self, seed=0, greedy=True, most_steps=200):
        """Plays an episode.

        Args:
            seed: Integer, of the episode and of the actions.
            greedy: Bool, whether the best actions are taken, and none is drawn.
            most_steps: Integer, largest number of steps.

        Returns:
            List of `Frame`, and the return.
        """
        state, frames, total = self.world.start([seed]), [], 0.0
        for time in range(most_steps):
            choice = self.model.act(self.world.observe(state), (seed, time), greedy)
            frames.append(Frame(
                self.world.picture(state), choice.probabilities[0],
                int(choice.action[0]), total, float(choice.entropy[0]),
                *(None if part is None else part[0]
                  for part in (choice.values, choice.spread))))
            step = self.world.step(state, choice.action)
            state, total = step.state, total + float(step.rewards[0])
            if step.ended[0]:
                break
        return frames, total

    def _report(self, **options):
        del options
        metrics = self.evaluate()
        figure = reports.return_curves(learning_curves([self]))
        write_pictures({"returns": figure}, self.workdir, f"Run {self.workdir.name}",
                       metrics)
        return metrics


def load_world(config):
    """The world of a config.

    Args:
        config: `ConfigDict` with `world`, the spec of one of `bdlzoo.worlds`.
    """
    return registry.build(plain(config.world))


def learning_curves(runs):
    """Lines of `bdlzoo.reports.return_curves`, one for each config but for its seed.

    Args:
        runs: List of `AgentRun`.

    Returns:
        Dictionary from a name to a pair of steps and returns for each run. The name is
        that of the method; where configs differ in more, that of the first folder
        follows.
    """
    groups = {}
    for run in runs:
        config = {name: value for name, value in run.config.to_dict().items()
                  if name != "seed"}
        groups.setdefault(json.dumps(config, sort_keys=True), []).append(run)
    kinds = [group[0].config.method.type for group in groups.values()]
    lines = {}
    for kind, group in zip(kinds, groups.values()):
        name = kind if kinds.count(kind) == 1 else f"{kind}, {group[0].workdir.name}"
        lines[name] = [_curve(run.workdir / "history.csv") for run in group]
    return lines


def _curve(path):
    history = read_history(path)
    return history["world_steps"], history["return"]
