"""Programs read their flags, and end in a few lines where these are wrong."""

import subprocess
import sys

import pytest

from bdlzoo import runs
from bdlzoo.programs import console

PROGRAM = """
\"\"\"Adds.\"\"\"
import sys
from absl import flags
from bdlzoo.programs import console
flags.DEFINE_integer("first", None, "A number.")
flags.DEFINE_integer("second", None, "Another.")
console.required(first=3, second=4)
def main(argv):
    print(flags.FLAGS.first + flags.FLAGS.second)
for flags_given in (["--first=1"], ["--first=1", "--secnod=2"], ["--first=a"],
                    ["--first=1", "--second=2", "3"], ["--first=1", "--second=2"]):
    flags.FLAGS.unparse_flags()
    sys.argv = ["add", *flags_given]
    try:
        console.run(main)
    except SystemExit as end:
        print("ends with", end.code, file=sys.stderr)
"""


def test_wrong_flags_end_in_a_line():
    done = subprocess.run([sys.executable, "-c", PROGRAM], text=True, timeout=240,
                          capture_output=True)
    told = [line for line in done.stderr.splitlines()
            if line.startswith(("ValueError", "ends"))]
    see = "`add --help` lists the flags"
    assert told == [
        "ValueError: Expected --second, such as --second=4. Received: no --second. "
        + see, "ends with 1",
        f"ValueError: Unknown command line flag 'secnod'. Did you mean: second. {see}",
        "ends with 1", told[4], "ends with 1",
        f"ValueError: Expected only flags, as --NAME=VALUE. Received: 3. {see}",
        "ends with 1", "ends with None"]
    assert "--first=a" in told[4]
    assert done.stdout == "3\n" and "Traceback" not in done.stderr


@pytest.mark.parametrize("given", [
    ["--config=digits/sgld.py:smoke"], ["--config", "configs/digits/sgld.py:smoke"],
    ["-config=digits/sgld.py:smoke"]])
def test_configs_are_found_in_the_zoo(given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = console._with_configs(["bdlzoo train", *given, "--config.epochs=2"])
    assert " ".join(found).endswith(
        f"{runs.CONFIGS / 'digits/sgld.py:smoke'} --config.epochs=2")
    assert found[0] == "bdlzoo train" and len(found) == len(given) + 2


def test_errors_that_explain_themselves_are_told(capsys):
    with pytest.raises(SystemExit) as ended, console.explained():
        raise FileNotFoundError("Expected more. Received: less")
    assert ended.value.code == 1
    assert capsys.readouterr().err == (
        "FileNotFoundError: Expected more. Received: less\n")
    with pytest.raises(ZeroDivisionError), console.explained():
        1 / 0


def test_first_line_is_read_without_running_the_file(tmp_path):
    (tmp_path / "a.py").write_text('r"""First.\n\nSecond."""\n1 / 0\n')
    assert console.first_line(tmp_path / "a.py") == "First."


def test_table_has_its_figures_in_a_column(capsys):
    console.table({"nll": 0.25, "accuracy": 1.0})
    assert capsys.readouterr().out == "  accuracy    1.0000\n  nll         0.2500\n"
