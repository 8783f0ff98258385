"""Runs that are killed at random moments end as those that were not."""

import random

import pytest

from tests.programs import killed_runs

KILLS = 6  # Of each method.


@pytest.mark.slow
@pytest.mark.parametrize("method", killed_runs.METHODS)
def test_kills_at_random_moments_change_no_bit(method, tmp_path):
    """Every second kill falls into the write of a file."""
    rng = random.Random(method)
    seconds = killed_runs.finish(method, tmp_path / "whole")
    whole, kills, folders = killed_runs.state(tmp_path / "whole"), 0, 0
    while kills < KILLS:
        workdir, folders = tmp_path / f"killed-{folders}", folders + 1
        # A run that ends before its kill counts for nothing; another one begins.
        while kills < KILLS and killed_runs.kill_once(
                method, workdir, rng.uniform(0.1, 0.9) * seconds, kills % 2 == 1):
            kills += 1
        killed_runs.finish(method, workdir)
        assert not killed_runs.left_over(workdir)
        killed_runs.assert_same(killed_runs.state(workdir), whole)
    assert kills == KILLS


@pytest.mark.slow
def test_two_runs_of_one_folder_are_one_run_and_an_error(tmp_path):
    """The second one ends at once, and changes nothing of the first."""
    killed_runs.finish("mc_dropout", tmp_path / "whole")
    first = killed_runs.start("mc_dropout", tmp_path / "a")
    while not (tmp_path / "a/config.json").exists():
        assert first.is_alive()
    second = killed_runs.start("mc_dropout", tmp_path / "a")
    second.join()
    first.join()
    assert (first.exitcode, second.exitcode) == (0, 1)
    killed_runs.assert_same(*(killed_runs.state(tmp_path / name)
                              for name in ("whole", "a")))
