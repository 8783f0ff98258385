r"""Runs the gauntlet and writes `docs/networks.md`: which networks pass which doors.

    python -m tools.networks_page
    python -m tools.networks_page --networks=mlp,unet --doors=sgld --again
    python -m tools.networks_page --networks=none

Verdicts are kept in `docs/networks.json`, and a later run goes on from there: cells
that are bad or missing run, the others do only with `--again`. `--networks=none` runs
nothing and writes the page. Cells run in processes of their own, so that one that
crashes does not end the run. All of them take about an hour of one core, half of it
with `--processes=2` where two are free.
"""

import concurrent.futures
import json
import pathlib
import platform
import tempfile

import keras
from absl import flags

from bdlzoo.core.whole_file import write_json, write_text
from bdlzoo.programs import console
from tests.gauntlet import cells
from tests.gauntlet.networks import NETWORKS
from tests.gauntlet.record import DOORS

ROOT = pathlib.Path(__file__).parents[1]
WHAT = {
    "mc_dropout": "`MCDropout(network)`",
    "bayesianize": "`MeanFieldVI(bayesianize(network))`",
    "deep_ensemble": "`DeepEnsemble(network)`",
    "from_models": "`DeepEnsemble.from_models(networks)`",
    "sgld": "`SGLD(network)`",
    "bayes_adapter": "`BayesAdapter(network)`",
    "adopted": "`evaluation.adopted(network, x)`",
}
TRUTHS = (
    "Two steps of `fit` and an evaluation have finite losses, and weights move.",
    "Draws differ where they should, and are equal where the network is a point.",
    "The model equals the network where it should: dropout with masks off, posteriors "
    "with scales at zero, a member beside the model it was made from, a draw beside "
    "`member(i)` or `sample(i)`, an adopted network beside itself.",
    "As many numbers are trained as the network has, times the copies of it; adapted "
    "look-up tables and normalisations come along.",
    "Mean and draws are the same after `.keras` in a fresh process, and from the "
    "SavedModel in one that cannot import `bdlzoo`, asked by the names and types of "
    "the inputs.",
)
_GROUP = 4  # Networks whose cells share processes.

_NETWORKS = flags.DEFINE_list(
    "networks", ["all"], "Names of networks of `tests/gauntlet`, all or none.")
_DOORS = flags.DEFINE_list("doors", list(DOORS), "Names of doors.")
_AGAIN = flags.DEFINE_bool(
    "again", False, "Whether cells run again whose verdict is known.")
_JOBS = flags.DEFINE_integer("processes", 1, "Processes at a time.", lower_bound=1,
                             upper_bound=2)
_OUTPUT = flags.DEFINE_string(
    "output", str(ROOT / "docs"), "Folder of the page and of the verdicts.",
    allow_override=True)  # Other tools have it too; tests import several of them.


def main(argv):
    del argv
    with console.explained():
        output = pathlib.Path(_OUTPUT.value)
        output.mkdir(parents=True, exist_ok=True)
        results = Results(output / "networks.json")
        todo = results.missing(chosen(_NETWORKS.value, _DOORS.value), _AGAIN.value)
        run(todo, results, _JOBS.value)
        write_text(output / "networks.md", page(results.known))
    print(f"Written: {output / 'networks.md'}")


def chosen(networks, doors):
    """Cells that the flags name, those of one network together."""
    names = {"all": list(NETWORKS), "none": []}.get(",".join(networks), networks)
    for word, given, known in (("networks", names, NETWORKS), ("doors", doors, DOORS)):
        unknown = sorted(set(given) - set(known))
        if unknown:
            raise ValueError(f"Expected names among {', '.join(known)}. Received: "
                             f"--{word}={','.join(unknown)}")
    return [(name, door) for name in names for door in doors]


class Results:
    """Verdicts of cells, in a file that is always whole.

    Args:
        path: Path of the file; it need not exist.
    """

    def __init__(self, path):
        self.path = pathlib.Path(path)
        stored = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.known = {name: {door: stored[name][door] for door in DOORS
                             if door in stored[name]}
                      for name in NETWORKS if name in stored}

    def missing(self, wanted, again):
        """Cells that have to run: bad ones and new ones, or all of them."""
        return [(name, door) for name, door in wanted if again or self.known.get(
            name, {}).get(door, {"status": "bad"})["status"] == "bad"]

    def add(self, verdicts):
        """Keeps verdicts, a dictionary from cells."""
        for (name, door), verdict in verdicts.items():
            self.known.setdefault(name, {})[door] = verdict
        write_json(self.path, self.known)


def run(todo, results, jobs=1):
    """Runs cells, some networks at a time, and keeps their verdicts.

    Args:
        todo: List of cells, pairs of names.
        results: `Results` to add to.
        jobs: Integer, processes at a time.
    """
    names = list(dict.fromkeys(name for name, _ in todo))
    groups = [[cell for cell in todo if cell[0] in names[start:start + _GROUP]]
              for start in range(0, len(names), _GROUP)]
    bar = keras.utils.Progbar(len(todo), unit_name="cell") if todo else None
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in concurrent.futures.as_completed(
                pool.submit(_judged, group) for group in groups):
            verdicts = done.result()
            results.add(verdicts)
            bar.add(len(verdicts))


def _judged(group):
    with tempfile.TemporaryDirectory() as folder:
        return cells.judged(group, folder)


def page(known):
    """The text of the page.

    Args:
        known: Dictionary, network to door to verdict.
    """
    notes = _Notes()
    rows = [_row(name, known.get(name, {}), notes) for name in NETWORKS]
    minutes = sum(verdict["seconds"] for verdicts in known.values()
                  for verdict in verdicts.values()) / 60
    lines = [
        "# Networks", "",
        "Written by `python -m tools.networks_page`, which takes small networks of "
        "`tests/gauntlet` through seven doors. The cells took "
        f"{minutes:.0f} minutes of one core of {platform.machine()}, with Keras "
        f"{keras.__version__}.", "",
        "`ok` means:", "", *(f"- {truth}" for truth in TRUTHS), "",
        "`refused` is an error that the test expects, with its reason. `-` is a "
        "network that has not what the door needs. `bad` is anything else.", "",
        "## Doors", "", "| Door | What a user writes | `ok` | refused | bad |",
        "|---|---|---|---|---|", *(_door(door, known) for door in DOORS), "",
        "## Cells", "",
        "`posterior` is the share of the weights that `bayesianize` gives a "
        "posterior.", "",
        f"| Network | Style | {' | '.join(DOORS)} | posterior |",
        "|---|---" + "|---" * (len(DOORS) + 1) + "|", *rows, ""]
    if notes.texts:
        lines += [f"{place}. {text}" for place, text in enumerate(notes.texts, 1)]
    return "\n".join(lines).rstrip() + "\n"


class _Notes:
    """Texts below the table, each with a number."""

    def __init__(self):
        self.texts = []

    def number(self, text):
        if not text:
            return ""
        if text not in self.texts:
            self.texts.append(text)
        return f" ({self.texts.index(text) + 1})"


def _door(door, known):
    found = [verdicts[door]["status"] for verdicts in known.values()
             if door in verdicts]
    able = len(found) - found.count("lacks") - found.count("refused")
    return (f"| {door} | {WHAT[door]} | {found.count('ok')} of {able} | "
            f"{found.count('refused')} | {found.count('bad')} |")


def _row(name, verdicts, notes):
    shown = {"lacks": "-"}
    texts = [""] * len(DOORS)
    for place, door in enumerate(DOORS):
        if door in verdicts:
            status, text = verdicts[door]["status"], verdicts[door]["text"]
            texts[place] = f"{shown.get(status, status)}{notes.number(_cell(text))}"
    share = verdicts.get("bayesianize", {}).get("posterior")
    texts.append("" if share is None else f"{100 * share:.0f} %")
    return f"| `{name}` | {NETWORKS[name].style} | {' | '.join(texts)} |"


def _cell(text):
    return " ".join(text.split()).replace("|", r"\|")


if __name__ == "__main__":
    console.run(main)
