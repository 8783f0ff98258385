r"""Plays an episode of a trained agent; writes it as an animated GIF.

    bdlzoo play --workdir=runs/rooms
    bdlzoo play --workdir=runs/rooms --seed=7 --nogreedy --output=episode.gif

Beside the world, the picture has the probabilities of the actions, and the values of an
agent that has some, with their standard deviations.

    bdlzoo play --workdir=runs/direct_0 --others=runs/direct_1,runs/reinforce_0

Also draws the returns of several runs while they learnt, as `plots/curves.png`: runs
whose configs differ in the seed alone are one line with a band.
"""

import pathlib

from absl import flags

from bdlzoo import reports, runs
from bdlzoo.core.whole_file import whole_file
from bdlzoo.programs import console
from bdlzoo.reports.episode_film import episode_film

_WORKDIR = flags.DEFINE_string("workdir", None, "Folder of a finished run of an agent.")
_OUTPUT = flags.DEFINE_string(
    "output", None, "File to write. [plots/episode.gif in the folder of the run]")
_SEED = flags.DEFINE_integer("seed", 0, "Seed of the episode and of the actions.",
                             lower_bound=0)
_GREEDY = flags.DEFINE_bool("greedy", True, "Take the best actions; draw none.")
_MOST = flags.DEFINE_integer("most_steps", 200, "Largest number of steps.",
                             lower_bound=1)
_OTHERS = flags.DEFINE_list("others", [], "Folders of further runs, for the curves.")
console.required(workdir="runs/rooms")


def main(argv):
    del argv
    with console.explained():
        run, *others = (_run_of(folder) for folder in (_WORKDIR.value, *_OTHERS.value))
        path = pathlib.Path(_OUTPUT.value or run.workdir / "plots" / "episode.gif")
        frames, total = run.play(_SEED.value, _GREEDY.value, _MOST.value)
        path.parent.mkdir(parents=True, exist_ok=True)
        episode_film(frames, path, run.world.action_names, run.workdir.name)
        print(f"Episode of {len(frames)} steps, return {total:.3f}: {path}")
        if others:
            curves = run.workdir / "plots" / "curves.png"
            curves.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(curves) as part:
                reports.return_curves(runs.learning_curves([run, *others])).savefig(
                    part, format="png")
            print(f"Returns of {1 + len(others)} runs: {curves}")


def _run_of(folder):
    """The finished run of an agent in a folder."""
    run = runs.reopen(folder)
    if not isinstance(run, runs.AgentRun):
        raise ValueError("Expected the run of an agent, whose config has a `world`. "
                         f"Received: workdir={folder}")
    run.check_finished()
    return run
