"""The program that compares models on the data of the user."""

import json
import os

import numpy as np
import pytest

from tests.programs import processes

QUICK = "--epochs=1", "--budget=60", "--network={\"type\": \"MLP\", \"hidden\": [8]}"


def _run(*words, cwd):
    return processes.run("choose", *words, *QUICK, cwd=cwd)


@pytest.mark.slow
def test_a_file_of_classes_gets_a_verdict_and_a_report(tmp_path):
    x = np.random.default_rng(0).normal(size=(120, 3))
    np.savez(tmp_path / "rows.npz", x=x, y=(x[:, 0] > 0).astype(int))
    words = "--data=rows.npz", "--workdir=a"
    code, out, err = _run(*words, cwd=tmp_path)
    assert code == 0, err
    found = json.loads((tmp_path / "a/choice.json").read_text())
    assert set(found["models"]) == {"deterministic", "mc_dropout", "last_layer",
                                    "mean_field_vi", "deep_ensemble"}
    assert f"Take {found['take']}" in out and found["reasons"][0] in out
    page = (tmp_path / "a/choice.html").read_text()
    assert found["reasons"][0] in page
    assert (tmp_path / "a" / found["take"] / "model.keras").exists()
    # The same command trains nothing again; another setting is another folder.
    before = (tmp_path / "a/deterministic/model.keras").stat().st_mtime_ns
    code, _, err = _run(*words, cwd=tmp_path)
    assert code == 0, err
    assert (tmp_path / "a/deterministic/model.keras").stat().st_mtime_ns == before
    code, _, err = _run(*words, "--seed=1", cwd=tmp_path)
    assert code == 1 and "differs in rows, seed" in err, err


@pytest.mark.slow
@pytest.mark.parametrize("name, score", [("digits", "accuracy"),
                                         ("uci/concrete", "rmse")])
def test_sets_are_compared_within_a_small_budget(name, score, tmp_path):
    if name == "uci/concrete" and not os.path.exists(os.path.join(
            os.environ.get("BDLZOO_DATA_DIR", ""), "uci/concrete.npz")):
        pytest.skip("needs uci/concrete.npz in BDLZOO_DATA_DIR")
    code, out, err = processes.run(
        "choose", f"--data={name}", "--workdir=a", "--epochs=2", "--budget=2.5",
        cwd=tmp_path)
    assert code == 0, err
    found = json.loads((tmp_path / "a/choice.json").read_text())
    assert all(score in model for model in found["models"].values())
    used = sum(model["seconds"] for model in found["models"].values())
    assert found["models"] and used < 300  # Machines have other work to do.
    assert len(found["models"]) + len(found["left_out"]) == 5


@pytest.mark.slow
def test_data_that_cannot_be_read_end_in_a_sentence(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n" + "1,x\n" * 50 + "no,x\n")
    for data, words in (("rows.csv", "columns of numbers"),
                        ("nothing", "bundled set"), ("none.npz", "there is none")):
        code, _, err = _run(f"--data={data}", "--workdir=a", cwd=tmp_path)
        assert code == 1 and words in err, err
        assert "Traceback" not in err and not (tmp_path / "a").exists()
