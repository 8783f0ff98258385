"""The program that exports runs, as a user starts it."""

import pytest

from tests.programs import processes


def test_a_run_is_exported_with_its_latency(finished, tmp_path):
    code, out, err = processes.run("export", f"--workdir={finished}",
                                   "--output=served", cwd=tmp_path)
    assert code == 0, err
    assert (tmp_path / "served/1/saved_model.pb").exists() and "served/1" in out
    assert "batch of   1" in out


@pytest.mark.slow
def test_a_run_becomes_a_file_of_another_format(finished, tmp_path):
    words = f"--workdir={finished}", "--output=a.tflite", "--format=litert"
    code, out, err = processes.run("export", *words, "--num_samples=3", "--seed=5",
                                   cwd=tmp_path)
    assert code == 0, err
    assert (tmp_path / "a.tflite").stat().st_size > 1000 and "with 3 draws" in out
    code, _, err = processes.run("export", *words, "--max_samples=9", cwd=tmp_path)
    assert code == 1 and "Expected no --max_samples" in err, err
    assert "Traceback" not in err


@pytest.mark.slow
def test_a_run_must_be_finished_to_be_exported(finished, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/config.json").write_text((finished / "config.json").read_text())
    code, _, err = processes.run("export", "--workdir=a", "--output=b", cwd=tmp_path)
    assert code == 1 and "Expected a finished run" in err, err
    assert "Traceback" not in err and not (tmp_path / "b").exists()
