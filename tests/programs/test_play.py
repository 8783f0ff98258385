"""The program that plays episodes, as a user starts it."""

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
        if verb == "play":
            assert "Episode of" in out and "episode.gif" in out
    with Image.open(tmp_path / "run/plots/episode.gif") as film:
        assert film.n_frames >= 2
    assert (tmp_path / "run/report.html").exists()
    assert (tmp_path / "served/1/saved_model.pb").exists()


def test_only_agents_play(finished, tmp_path):
    code, _, err = processes.run("play", f"--workdir={finished}", cwd=tmp_path)
    assert code == 1 and "Expected the run of an agent" in err, err
    assert "Traceback" not in err
