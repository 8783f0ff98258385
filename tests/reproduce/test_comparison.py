"""Tests of the comparison of lines."""

from tools.reproduce import comparison, runner

PAIRS = (("plain", [0.5, 0.6, 0.7]), ("ours", [0.4, 0.51, 0.6]))


def test_comparison_tests_lines_against_the_first_in_three_formats(tmp_path):
    rows = [{"label": name, "scores": [{"nll": v} for v in values]}
            for name, values in PAIRS]
    comparison.write_comparison(("nll",), {"seeds": 3, "rows": rows},
                                tmp_path / "tiny_compared")
    page = (tmp_path / "tiny_compared.md").read_text()
    assert "| ours | 0.50 ± 0.25* |" in page and "differs from plain" in page
    assert "ours,nll,0.503" in (tmp_path / "tiny_compared.csv").read_text()
    assert r"\toprule" in (tmp_path / "tiny_compared.tex").read_text()


def test_runs_on_all_folds_are_compared_fold_by_fold(tmp_path):
    rows = [{"label": name, "scores": [{"nll": 9.0, "nll_error": 9.0,
                                        "nll_folds": values}]}
            for name, values in PAIRS]
    comparison.write_comparison(("nll", "nll_error"), {"seeds": 1, "rows": rows},
                                tmp_path / "tiny_compared")
    page = (tmp_path / "tiny_compared.md").read_text()
    assert "| ours | 0.50 ± 0.25* |" in page and "over 3 folds" in page


def test_configs_are_compared_by_all_scores_that_they_share(tmp_path, monkeypatch):
    scores = {"digits/deterministic.py": {"nll": 0.5, "ece": 0.1, "intervals": {}},
              "digits/mc_dropout.py": {"nll": 0.4, "rate": 0.2, "intervals": {}}}
    monkeypatch.setattr(runner, "_run_config", lambda row, seed, folder, table: (
        {k: v + seed if k == "nll" else v for k, v in scores[row.source].items()},
        False))
    comparison.compare_configs(list(scores), tmp_path, 2)
    lines = (tmp_path / "compared.md").read_text().splitlines()
    assert lines[0] == "| | nll |" and "digits/mc_dropout.py" in lines[3]
