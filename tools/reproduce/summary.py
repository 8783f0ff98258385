"""`docs/results.md`: one table of verdicts, and an index by subject."""

import collections
import json

from tools.reproduce import verdict
from tools.reproduce.absent_figures import ABSENT
from tools.reproduce.columns import column
from tools.reproduce.page import UNEXPLAINED, cell, number, page
from tools.reproduce.table import SUBJECTS

_COUNTED = ("yes", "partly", "no", "not comparable", "other scale", "ours alone")
_MEANINGS = (
    "* yes, partly, no: all, some or none of the published values are reproduced, and "
    "how many.",
    "* not comparable: the published values are of another data set, or of a task that "
    "is not described well enough to repeat.",
    "* other scale: figures were published at a scale that two cores do not reach; the "
    "note of the page quotes them.",
    "* ours alone: no figures were published.")


def write_pages(tables, output):
    """Writes the summary and a page for each table that was run.

    Args:
        tables: Dictionary of `Table` by name.
        output: `pathlib.Path`, whose folder `results` holds the figures.
    """
    folder, done, missing = output / "results", [], []
    for table in tables.values():
        results = read_results(table, folder)
        if results is None:
            missing.append(table)
            continue
        results = verdict.counted(table, results)
        done.append((table, results))
        compared = [f"{table.name}_compared{suffix}" for suffix in (
            ".md", ".csv", ".tex")]
        (folder / f"{table.name}.md").write_text(page(
            table, results, [name for name in compared if (folder / name).exists()]))
    (output / "results.md").write_text(summary(done, missing))


def read_results(table, folder):
    """Figures of a table; `None` where it was not run, or has changed since."""
    path = folder / f"{table.name}.json"
    if not path.exists():
        return None
    results = json.loads(path.read_text())
    # A line may lack a metric, such as the disagreement of one network.
    known = {m for row in results["rows"] for s in row["scores"] for m in s}
    return results if known >= set(table.metrics) else None


def summary(done, missing=()):
    """Markdown of the page of verdicts.

    Args:
        done: List of pairs, a `Table` and its results.
        missing: Tables that were not run.

    Returns:
        String.
    """
    judged = [(table, results, verdict.compare(table, results))
              for table, results in done]
    judged.sort(key=lambda each: not each[2])  # Those with published values first.
    words = {table.name: verdict.table_verdict(table, values)
             for table, _, values in judged}
    lines = ["# Results", "", _counts(words.values()), "",
             "| experiment | figure | published | ours | seeds | reproduced |",
             "|---|---|---|---|---|---|"]
    lines += [_line(*each, words[each[0].name]) for each in judged]
    lines += ["", "## How the verdicts are made", "", verdict.RULE, "", *_MEANINGS, "",
              "Figures are means ± standard deviations over seeds, on two CPU cores. "
              "The table shows a few figures of each experiment; its page has all of "
              "them. All pages are written from `docs/results/*.json` by `python -m "
              "tools.reproduce`; `--table=none` writes the pages and runs nothing.",
              "", _time(results for _, results in done)]
    lines += ["", "## Not reproduced, and why", "", *_missed(judged)]
    lines += ["", "## Published figures without a line", "", "The five sets of slides "
              "that the zoo follows have more figures. These have no line:", "", *(
                  f"* {absent.figures} ({absent.source}): {absent.reason}"
                  for absent in ABSENT)]
    lines += ["", "## By subject", *_index(table for table, _ in done)]
    if missing:
        lines += ["", "## Not run yet", "", *(
            f"* {table.title}: `python -m tools.reproduce --table={table.name}`"
            for table in missing)]
    return "\n".join(lines) + "\n"


def _counts(words):
    count = collections.Counter(word.split(",")[0] for word in words)
    parts = ", ".join(f"{word} {count[word]}" for word in _COUNTED if count[word])
    return f"{sum(count.values())} experiments. Reproduced: {parts}."


def _time(all_results):
    """How long all runs took together."""
    seconds = [score["seconds"] or 0.0 for results in all_results
               for row in results["rows"] for score in row["scores"]]
    return (f"All {len(seconds):,} runs together took {sum(seconds) / 3600:.0f} hours, "
            "some of them beside others on the same cores.")


def _missed(judged):
    """A line for each published value that is not reproduced."""
    missed = [(table, each) for table, _, values in judged for each in values
              if each.verdict == "no"]
    if not missed:
        return ["None."]
    explained = sum(bool(each.reason) for _, each in missed)
    total = sum(len(values) for _, _, values in judged)
    return [f"{len(missed)} of {total} published values are not reproduced; "
            f"{explained} of these are explained by an experiment.", "", *(
                f"* [{table.title}](results/{table.name}.md), {each.label}, "
                f"{column(each.metric, table.name).title}: "
                f"{number(each.published, 10)} was published, {cell(each.values)} is "
                f"ours. {each.reason or UNEXPLAINED}" for table, each in missed)]


def _line(table, results, values, word):
    figures = _headline(table, results, values)
    names, published, ours = (
        "<br>".join(each) for each in zip(*(
            (f"{label}: {column(metric, table.name).title}", there, here)
            for label, metric, there, here in figures)))
    return (f"| [{table.title}](results/{table.name}.md) | {names} | {published} | "
            f"{ours} | {results['seeds']} | {word} |")


def _headline(table, results, values):
    """Label, metric, published and own figure of what the summary shows."""
    first = (values[0].label, values[0].metric) if values else (
        results["rows"][0]["label"], table.metrics[0])
    known = {(each.label, each.metric): number(each.published, 10) for each in values}
    absent = "on its page" if table.incomparable else "-"
    scores = {row["label"]: row["scores"] for row in results["rows"]}
    return [(label, metric, known.get((label, metric), absent),
             cell([s[metric] for s in scores.get(label, ()) if metric in s]))
            for label, metric in table.headline or (first,)]


def _index(tables):
    by_subject = collections.defaultdict(list)
    for table in tables:
        by_subject[table.subject].append(
            f"* [{table.title}](results/{table.name}.md)")
    return [line for subject in SUBJECTS if by_subject[subject]
            for line in ("", f"### {subject}", "", *by_subject[subject])]
