r"""Writes `docs/choosing.md`, what to take when, with what was measured.

    python -m tools.choosing_page

Situations and advice are the table of the README. Quality and cost of an answer come
from the cards of the presets, costs of training from the benchmarks; the pictures are
drawn of the same figures. Nothing is measured here.
"""

import json
import pathlib
import re
import statistics

from absl import flags

import bdlzoo
from bdlzoo import presets
from bdlzoo.core.whole_file import write_text
from bdlzoo.programs import console
from bdlzoo.reports import canvas

ROOT = pathlib.Path(__file__).parents[1]
FIGURES = ROOT / "docs" / "figures"
_OUTPUT = flags.DEFINE_string("output", str(ROOT / "docs" / "choosing.md"),
                              "File of the page.", allow_override=True)
_COLUMNS = {"accuracy": "accuracy", "nll": "NLL", "ece": "ECE",
            "auroc_uniform": "AUROC, uniform noise",
            "auroc_permuted": "AUROC, permuted pixels"}
_STEPS = "steps_lenet"  # The section of the benchmarks with most methods.


def main(argv):
    del argv
    with console.explained():
        FIGURES.mkdir(parents=True, exist_ok=True)
        quality(cards()).savefig(FIGURES / "choosing_quality.png")
        training(ratios()).savefig(FIGURES / "choosing_training.png")
        write_text(pathlib.Path(_OUTPUT.value), page())
    print(f"Written: {_OUTPUT.value}")


def page():
    """The text of the page."""
    return "\n".join([
        "# What to choose when", "",
        "Written by `python -m tools.choosing_page` from the README, the cards of the "
        "presets and the benchmarks.", "",
        "## By situation", "", situations(), "",
        "Three questions lead to most of these rows:", "",
        "1. *Is there a trained network?* Then keep it: calibrate it, make an ensemble "
        "of several, or adapt it. Nothing is trained from the start.",
        "2. *May an answer cost many passes?* Draws of dropout cost the part of the "
        "network behind the first dropout layer; members of an ensemble cost all of "
        "it, but there are few of them.",
        "3. *What is the doubt for?* For probabilities that are right on average "
        "calibration is enough. To find errors or unusual inputs, the draws must "
        "differ. For a promise take conformal sets.", "",
        "## Quality against the cost of an answer", "",
        "Presets on the test rows of the bundled digits. Below and to the left is "
        "better in the first picture, above and to the left in the second.", "",
        "![Negative log-likelihood and detection of outside inputs against the time of "
        "an answer](figures/choosing_quality.png)", "",
        *_quality_table(cards()), "",
        "Milliseconds are those of the cards: of an export, on two CPU cores, in one "
        "run; see [benchmarks](benchmarks.md) for careful times. Networks and "
        "settings are those of the config of a preset, so that these are figures of "
        "presets, not of methods alone.", "",
        "## Cost of training", "",
        f"Time of a training step over that of plain Keras: the medians of "
        f"[the benchmark](benchmarks/{_STEPS}.md), without XLA.", "",
        "![Time of a training step of each method over that of plain Keras]"
        "(figures/choosing_training.png)", "",
        "A method that takes longer a step may need fewer of them, or more; what each "
        "method reached in which time is in the [results](results.md)."]) + "\n"


def situations():
    """The table of the README, with links as they are in this folder."""
    text = (ROOT / "README.md").read_text()
    table = re.search(r"^\| Situation \|.*?(?=\n\n)", text, re.M | re.S)[0]
    return table.replace("](docs/", "](")


def cards():
    """Cards of the presets that classify digits, the quickest answers first."""
    found = [presets.card_of(name) for name in presets.available()
             if name.startswith("digits/")]
    return sorted((card for card in found if "accuracy" in card["figures"]),
                  key=lambda card: card["latency"]["64 rows"])


def ratios():
    """Dictionary, class of a method to the time of its step over plain Keras."""
    lines = json.loads((ROOT / f"docs/benchmarks/{_STEPS}.json").read_text())
    times = {line["contender"]: statistics.median(line["ms"])
             for workload in lines["workloads"].values()
             for line in workload["lines"]
             if line["mode"] == "graph" and line.get("ms")}
    classes = {getattr(bdlzoo.methods, name).__module__.rsplit(".", 1)[1]: name
               for name in bdlzoo.methods.__all__}
    found = {classes[name]: time / times["plain"] for name, time in times.items()
             if name in classes}
    return dict(sorted(found.items(), key=lambda item: item[1]))


def quality(found):
    """The picture of quality against the cost of an answer.

    Args:
        found: List of cards.
    """
    figure = canvas.figure(9.5, 3.8)
    left, right = figure.subplots(1, 2)
    for card in found:
        scores, name = card["figures"], card["name"].split("/")[1].replace("_", " ")
        outside = (scores["auroc_uniform"] + scores["auroc_permuted"]) / 2
        for axes, value in ((left, scores["nll"]), (right, outside)):
            axes.plot(card["latency"]["64 rows"], value, "o", color=canvas.BLUE)
            axes.annotate(name, (card["latency"]["64 rows"], value),
                          xytext=(5, 4), textcoords="offset points",
                          fontsize=canvas.SMALL)
    for axes, title in ((left, "Negative log-likelihood, nats"),
                        (right, "AUROC of outside inputs, mean of two sets")):
        axes.set_xscale("log")
        axes.margins(x=0.35, y=0.12)
        canvas.label(axes, title, "ms for 64 rows")
    left.set_yscale("log")
    left.yaxis.set_major_formatter("{x:g}")
    left.yaxis.set_minor_formatter("{x:g}")
    return figure


def training(found):
    """The picture of the cost of training.

    Args:
        found: Dictionary from a method to a ratio.
    """
    figure = canvas.figure(7, 0.26 * len(found) + 0.8)
    axes = figure.subplots()
    axes.plot(list(found.values())[::-1], list(found)[::-1], "o", color=canvas.BLUE)
    axes.grid(axis="y", alpha=0.3)
    axes.axvline(1, color=canvas.GREY, linewidth=1)
    axes.set_xscale("log")
    axes.set_xticks([1, 2, 5, 10], ["1", "2", "5", "10"])
    canvas.label(axes, "", "steps of plain Keras in the time of one step")
    return figure


def _quality_table(found):
    lines = ["| Preset | " + " | ".join(_COLUMNS.values())
             + " | ms, 1 row | ms, 64 rows | MB |", "|---" * (len(_COLUMNS) + 4) + "|"]
    for card in found:
        scores = " | ".join(f"{card['figures'][name]:.4g}" for name in _COLUMNS)
        times = " | ".join(f"{card['latency'][rows]:.4g}"
                           for rows in ("1 row", "64 rows"))
        lines.append(f"| [{card['name']}](../bdlzoo/presets/{card['name']}/README.md) "
                     f"| {scores} | {times} | {card['bytes'] / 1e6:.2f} |")
    return lines


if __name__ == "__main__":
    console.run(main)
