r"""Times the zoo beside its peers and writes `docs/benchmarks.md` and its pages.

    python -m tools.benchmark --section=flipout
    python -m tools.benchmark --section=missing     sections that were not timed yet
    python -m tools.benchmark --section=none        writes the pages only

Every contender runs in a process of its own. Peers that need other packages run in
an environment below `.venv-peers`, made once. The times are kept in
`docs/benchmarks/SECTION.json`. The pages and figures are written from these files.
"""

import json
import pathlib

from absl import flags

from bdlzoo.programs import console
from tools.benchmark import charts, details, sections, summary, timing

ROOT = pathlib.Path(__file__).parents[2]
WARM_SECONDS = 0.3  # Of untimed steps before a round; 0.2 s were seen to matter.
_SECTION = flags.DEFINE_enum(
    "section", None, [*sections.NAMES, "all", "missing", "none"],
    "What to time; `missing` is what was not timed yet, `none` writes the pages only.")
_REPEATS = flags.DEFINE_integer("repeats", 15, "Rounds.", lower_bound=1)
_STEPS = flags.DEFINE_integer("steps", 20, "Steps of a round.", lower_bound=1)
_MINUTES = flags.DEFINE_float(
    "minutes", 15.0, "After so many minutes a workload starts no warm-up, or no round.",
    lower_bound=0.0)
_PATIENCE = flags.DEFINE_float(
    "patience", 30.0, "Seconds that a round waits, within --minutes, for a quiet "
    "machine; 0 does not wait.", lower_bound=0.0)
_OUTPUT = flags.DEFINE_string(
    "output", str(ROOT / "docs"), "Folder of the pages.",
    allow_override=True)  # `tools.reproduce` has it too; tests import both.
flags.mark_flags_as_required(["section"])


def main(argv):
    del argv
    output = pathlib.Path(_OUTPUT.value)
    known = sections.load()
    (output / "benchmarks").mkdir(parents=True, exist_ok=True)
    with console.explained():
        for name in chosen(_SECTION.value, output):
            results = timing.run_section(
                known[name], _REPEATS.value, _STEPS.value, 60 * _MINUTES.value,
                WARM_SECONDS, _PATIENCE.value)
            _times_of(name, output).write_text(json.dumps(results, indent=2) + "\n")
            write(known, output)
        write(known, output)
    print(f"Written: {output / 'benchmarks.md'}")


def chosen(section, output):
    """Names of the sections to time.

    Args:
        section: String, the value of the flag.
        output: Path of the folder of the pages.
    """
    if section == "missing":
        return [name for name in sections.NAMES
                if not _times_of(name, output).exists()]
    return {"all": list(sections.NAMES), "none": []}.get(section, [section])


def write(known, output):
    """Writes all pages and figures from the times that are there.

    Args:
        known: Dictionary, name to `Section`.
        output: Path of the folder of the pages.
    """
    found = {name: json.loads(_times_of(name, output).read_text()) for name in known
             if _times_of(name, output).exists()}
    (output / "figures").mkdir(exist_ok=True)
    for name, results in found.items():
        charts.save(known[name], results,
                    output / "figures" / f"benchmarks_{name}.png")
        (output / "benchmarks" / f"{name}.md").write_text(
            details.page(name, known[name], results))
    (output / "benchmarks.md").write_text(summary.page(known, found))


def _times_of(name, output):
    return output / "benchmarks" / f"{name}.json"


if __name__ == "__main__":
    console.run(main)
