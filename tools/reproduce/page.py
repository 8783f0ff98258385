"""The page of one experiment: its verdict, published values beside ours, all figures.

Tables stay narrow. One line, or few lines with many metrics, are written with a metric
a row; other wide tables are split.
"""

import itertools

import numpy as np

from tools.reproduce import verdict
from tools.reproduce.columns import column

WIDEST = 10  # Columns of a table.
UNEXPLAINED = "No experiment explains the difference yet."
_FEW = 6  # Lines that fit side by side.


def page(table, results, compared=()):
    """Markdown of the page of a table that was run.

    Args:
        table: `Table`.
        results: Dictionary of `docs/results/TABLE.json`.
        compared: Names of the files with paired tests, beside the page.

    Returns:
        String.
    """
    values = verdict.compare(table, results)
    lines = [f"# {table.title}", "", f"[All results](../results.md). {table.subject}.",
             "", _verdict_line(table, values), "", table.note, "",
             f"    python -m tools.reproduce --table={table.name}", "",
             _how(table, results), *_lacking(table, results)]
    if values:
        lines += ["", "## Beside the published values", "", *_beside(table, values)]
    missed = [f"* {each.label}, {column(each.metric, table.name).title}: "
              f"{each.reason or UNEXPLAINED}" for each in values
              if each.verdict == "no"]
    if missed:
        lines += ["", "## Why not", "", *missed]
    said = table.reading(results) if table.reading else []
    if said:
        lines += ["", "## What the figures say", "", *(f"* {each}" for each in said)]
    lines += ["", "## All figures"]
    for part in _figures(table, results["rows"]):
        lines += ["", *part]
    lines += [line for name in table.figures for line in (
        "", f"![{name.removesuffix('.png').replace('_', ' ')}](../figures/{name})")]
    if compared:
        links = ", ".join(f"[{name}]({name})" for name in compared)
        lines += ["", f"Paired tests against the first line: {links}."]
    return "\n".join(lines) + "\n"


def cell(values):
    """Mean and standard deviation over seeds, for a reader."""
    if not len(values):
        return "none"
    never = np.sum(~np.isfinite(values))  # Such as an accuracy never reached.
    if never:
        return f"not reached by {never} of {len(values)}"
    mean = number(np.mean(values))
    return mean if len(values) == 1 else (
        f"{mean} ± {number(np.std(values, ddof=1), 2)}")


def number(value, digits=4):
    """A number with so many digits that count, large ones written out."""
    text = f"{value:.{digits}g}"
    return f"{float(text):,.0f}" if abs(value) >= 10_000 or "e+" in text else text


def _verdict_line(table, values):
    word = verdict.table_verdict(table, values)
    if word == "ours alone":
        return "**Ours alone**: there is no published value to compare with."
    if table.incomparable:
        return f"**{word.capitalize()}**: {table.incomparable}."
    return f"**Reproduced: {word}** ([rule](../results.md#how-the-verdicts-are-made))."


def _how(table, results):
    count = results["seeds"]
    sources = sorted({row["source"] for row in results["rows"]})
    code = "".join(f" Code: [tools/reproduce/{source}.py]"
                   f"(../../tools/reproduce/{source}.py)." for source in sources
                   if not source.endswith(".py"))
    spread = ": mean ± standard deviation over seeds" if count > 1 else ""
    few = f" Fewer than three: {table.few_seeds}" if table.few_seeds else ""
    seeds = " and ".join(map(str, table.chosen_on))
    chosen = f" Settings were chosen on seed {seeds}, left out here." if seeds else ""
    return (f"{count} seed{'s' * (count > 1)}{spread}. On two CPU cores.{few}{chosen}"
            f"{code}")


def _lacking(table, results):
    """What a table lacks that is not complete yet."""
    done = {row["label"]: len(row["scores"]) for row in results["rows"]}
    lacks = [f"{row.label}: {results['seeds'] - done.get(row.label, 0)}"
             for row in table.rows if done.get(row.label, 0) < results["seeds"]]
    return ["", "**Not complete.** Runs still to come. " + "; ".join(lacks) + "."
            ] if lacks else []


def _beside(table, values):
    judged = not table.incomparable
    titles = ["", "figure", "published", "ours", *["reproduced"] * judged]
    return _grid(titles, [
        [each.label, column(each.metric, table.name).title,
         number(each.published, 10), cell(each.values), *[each.verdict] * judged]
        for each in values])


def _figures(table, rows):
    """Tables of all figures, none of them wide."""
    wide = len(table.metrics) + len(_ends(rows[0])) >= WIDEST
    if len(rows) == 1 or wide and len(rows) <= _FEW:
        return [_metric_a_row(table, rows)]
    groups = _groups(table.metrics) if wide else [list(table.metrics)]
    return [_line_a_row(table, rows, metrics, ends=metrics == groups[0])
            for metrics in groups]


def _groups(metrics):
    """Metrics in parts that fit; those that begin alike stay together."""
    groups = [[]]
    for _, alike in itertools.groupby(metrics, lambda m: m.split("_")[0]):
        alike = list(alike)
        if groups[-1] and len(groups[-1]) + len(alike) > WIDEST - 4:
            groups.append([])
        groups[-1] += alike
    return groups


def _line_a_row(table, rows, metrics, ends):
    titles = ["", *(column(m, table.name).title for m in metrics)]
    return _grid(titles + list(_ends(rows[0])) * ends, [
        [row["label"], *(cell(_values(row, m)) for m in metrics)]
        + list(_ends(row).values()) * ends for row in rows])


def _metric_a_row(table, rows):
    lines = [[column(m, table.name).title, *(cell(_values(row, m)) for row in rows)]
             for m in table.metrics]
    lines += [[name, *(_ends(row)[name] for row in rows)] for name in _ends(rows[0])]
    return _grid(["", *(row["label"] for row in rows)], lines)


def _ends(row):
    """What stands behind the figures of a line."""
    seconds = [s["seconds"] for s in row["scores"] if s["seconds"]]
    ends = {"minutes a run": f"{np.mean(seconds) / 60:.1f}" if seconds else ""}
    if row["source"].endswith(".py"):
        ends["config"] = f"[{row['source']}](../../configs/{row['source']})"
    return ends


def _values(row, metric):
    return [scores[metric] for scores in row["scores"] if metric in scores]


def _grid(titles, lines):
    """Lines of a table in Markdown."""
    return ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles),
            *("| " + " | ".join(line) + " |" for line in lines)]
