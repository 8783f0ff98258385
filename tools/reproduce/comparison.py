"""Comparison of lines over seeds: paired tests against the first line."""

import pathlib

from bdlzoo.reports import comparison_table
from tools.reproduce import runner
from tools.reproduce.table import Row, Table


def compare_configs(configs, workdir, num_seeds, jobs=1):
    """Runs configs over seeds and compares all scores that they share.

    Args:
        configs: List of paths, of this folder or below `configs/`.
        workdir: Folder of the runs, and of the comparison.
        num_seeds: Integer.
        jobs: Integer, runs at a time.
    """
    rows = tuple(Row(path, str(pathlib.Path(path).resolve())
                     if pathlib.Path(path).exists() else path) for path in configs)
    table = Table("compared", "", "", None, rows, "")
    results = runner.run_table(table, workdir, num_seeds, jobs)
    shared = [m for m in results["rows"][0]["scores"][0] if m != "seconds" and all(
        isinstance(s.get(m), float) for row in results["rows"] for s in row["scores"])]
    write_comparison(shared, results, pathlib.Path(workdir, "compared"))


def write_comparison(metrics, results, path):
    """Writes a comparison in three formats, and prints it.

    Args:
        metrics: Names of the metrics to compare.
        results: See `runner.run_table`.
        path: `pathlib.Path` without a suffix.
    """
    first = results["rows"][0]["scores"][0]
    # A run on all folds has a pair for each of them.
    folds = {m: f"{m}_folds" for m in metrics if f"{m}_folds" in first}
    pairs = f"{len(first[min(folds.values())])} folds" if folds else (
        f"{results['seeds']} seeds")
    table = comparison_table.compare({
        row["label"]: {m: row["scores"][0][folds[m]] for m in folds} or
        {m: [s[m] for s in row["scores"]] for m in metrics}
        for row in results["rows"]})
    text = comparison_table.to_markdown(table) + (
        f"\nMean and 95 % interval over {pairs}. * differs from "
        f"{results['rows'][0]['label']}: paired t test, p < 0.05 after Holm.\n")
    for suffix, content in ((".md", text), (".csv", comparison_table.to_csv(table)),
                            (".tex", comparison_table.to_latex(table))):
        path.with_suffix(suffix).write_text(content)
    print(f"{text}Written: {path}.md, .csv, .tex")
