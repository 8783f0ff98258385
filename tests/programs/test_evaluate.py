"""The program that scores runs, as a user starts it."""

import json

import pytest

from tests.programs import processes


def test_a_run_gets_its_report(finished):
    code, out, err = processes.run("evaluate", f"--workdir={finished.name}",
                                   "--shift=20", cwd=finished.parent)
    assert code == 0, err
    assert "auroc_uniform" in out and (finished / "plots/most.png").exists()
    assert (finished / "report.html").exists() and "report.html" in out
    assert "auroc_uniform" in json.loads((finished / "metrics.json").read_text())


@pytest.mark.slow
@pytest.mark.parametrize("flags, words", [
    ([], "--workdir=RUN or --model=FILE"),
    (["--model=mine.keras"], "--data=NAME"),
    (["--model=mine.keras", "--data=digits", "--output=b"], "`model.save` wrote"),
    (["--workdir=nothing"], "train --config")])
def test_wrong_flags_end_in_a_few_lines(flags, words, tmp_path):
    code, _, err = processes.run("evaluate", *flags, cwd=tmp_path)
    assert code == 1 and words in err, err
    assert "Traceback" not in err and not list(tmp_path.iterdir())
