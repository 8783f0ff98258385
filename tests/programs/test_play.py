"""The program that plays episodes, as a user starts it."""

import shutil

import pytest
from PIL import Image

from tests.programs import processes


@pytest.mark.slow
def test_agent_is_trained_played_evaluated_and_exported(tmp_path):
    for verb, words in (
            ("train", ["--config=worlds/reinforce.py:smoke"]), ("play", ["--seed=3"]),
            ("evaluate", []), ("export", ["--output=served"])):
        code, out, err = processes.run(verb, "--workdir=run", *words, cwd=tmp_path)
        assert code == 0, err
        if verb == "train":  # The progress bar.
            assert "steps_per_second: " in out and "return: " in out
        if verb == "play":
            assert "Episode of" in out and "episode.gif" in out
    with Image.open(tmp_path / "run/plots/episode.gif") as film:
        assert film.n_frames >= 2
    shutil.copytree(tmp_path / "run", tmp_path / "other")
    code, out, err = processes.run("play", "--workdir=run", "--others=other,other",
                                   cwd=tmp_path)
    assert code == 0 and "Returns of 3 runs" in out, err
    with Image.open(tmp_path / "run/plots/curves.png") as curves:
        assert curves.format == "PNG"
    assert (tmp_path / "run/report.html").exists()
    assert (tmp_path / "served/1/saved_model.pb").exists()


def test_only_agents_play(finished, tmp_path):
    code, _, err = processes.run("play", f"--workdir={finished}", cwd=tmp_path)
    assert code == 1 and "Expected the run of an agent" in err, err
    assert "Traceback" not in err
