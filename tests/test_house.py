"""The house rules, kept by a test rather than by memory."""

import ast
import pathlib
import re
import subprocess
import sys

import pytest

from bdlzoo.programs import command
from tests import mutants

ROOT = pathlib.Path(__file__).parents[1]
FLOORS = {
    "core": 0,
    "layers": 1, "likelihoods": 1, "metrics": 1, "posthoc": 1, "data": 1,
    "corruptions": 1, "schedules": 1,
    "surgery": 2,
    "model": 3,
    "networks": 4, "attacks": 4, "estimators": 4, "worlds": 4,
    "families": 5,
    "methods": 6,
    "evaluation": 7, "serving": 7, "reports": 7,
    "conformal": 8, "presets": 8, "runs": 8, "sklearn": 8,
    "programs": 9,
}
FILES = [p for p in ROOT.glob("bdlzoo/**/*.py") if p.stem != "__init__"]
EXPERIMENTS = [p for p in ROOT.glob("tools/reproduce/*.py") if p.stem != "__init__"]
CODE = [p for folder in ("bdlzoo", "configs", "tests", "tools")
        for p in (ROOT / folder).rglob("*.py")]
METHODS = sorted(p.stem for p in ROOT.glob("bdlzoo/methods/[!_]*.py"))
# Rooms whose files may know each other.
INSIDE = {"conformal", "core", "evaluation", "families", "layers", "model", "programs",
          "reports", "runs", "serving", "sklearn", "surgery", "worlds"}
# A room may import its own base; these are doors to others.
BASES = {"likelihood", "pixel_likelihood", "density_likelihood", "count_likelihood",
         "location_scale_likelihood", "attack", "attack_loss", "step_attack",
         "apgd", "target_spread", "estimator",
         "blocks", "split", "fit_masks", "prior", "corruption", "classification_metric",
         "binned_metric", "regression_metric", "interval_metric", "coverage_metric"}
DOORS = {"data/load.py", "data/folds.py", "attacks/default_attacks.py"}


def _imports(path):
    """Module paths below `bdlzoo`, function-local ones too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            names = [f"{node.module}.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        else:
            continue
        yield from (n.split(".")[1:] for n in names if n.startswith("bdlzoo."))


def _room(path):
    return path.relative_to(ROOT / "bdlzoo").parts[0].removesuffix(".py")


def _name(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_imports_only_point_down(path):
    here = _room(path)
    door = str(path.relative_to(ROOT / "bdlzoo")) in DOORS
    for there, *rest in _imports(path):
        below = FLOORS[there] < FLOORS[here]
        family = there == here and (
            here in INSIDE or door or rest[0] in BASES)
        assert below or family, f"{here} imports {'.'.join([there, *rest])}"


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_noise_has_one_source(path):
    text = path.read_text()
    allowed = "noise.py" if _room(path) == "core" else None
    for name in ("tf.random.", "keras.random", "SeedGenerator", ".sample("):
        assert name not in text or path.name == allowed, name
    if _room(path) != "data":  # Splits and toys are made outside of graphs.
        assert "np.random" not in text


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_private_and_old_keras_stay_out(path):
    text = path.read_text()
    for name in ("keras.src", "import tf_keras", "tfp.layers.", "add_loss("):
        assert name not in text, name
    if path.name != "keras_internals.py":
        for name in ("_flatten_layers", "_nodes_by_depth", "_functional",
                     "_symbolic_build", "_standardize_inputs"):
            assert name not in text, name


@pytest.mark.parametrize("path", CODE, ids=_name)
def test_every_file_says_what_it_is(path):
    text = path.read_text()
    assert not text or ast.get_docstring(ast.parse(text)), "no docstring"
    assert path.stem not in {"utils", "common", "helpers", "misc"}
    assert max(map(len, text.splitlines()), default=0) <= 88


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_its_config_test_row_and_mutants(method):
    assert list(ROOT.glob(f"configs/*/{method}.py"))
    assert (ROOT / f"tests/methods/test_{method}.py").exists()
    [name] = re.findall(r"^class ([A-Z]\w*)\(", (
        ROOT / f"bdlzoo/methods/{method}.py").read_text(), re.M)
    assert f"[`{name}`]" in (ROOT / "docs/methods.md").read_text()
    assert any(f"methods/{method}.py" in fault[0] for fault in mutants.mutants())


@pytest.mark.parametrize("path", [*FILES, *EXPERIMENTS], ids=_name)
def test_every_file_has_a_test(path):
    room = path.parent.name if path in EXPERIMENTS else (
        "" if path.parent.name == "bdlzoo" else _room(path))
    test = ROOT / "tests" / room / f"test_{path.stem.strip('_')}.py"
    # A base is tested through those who have it, a table alone with all the others.
    assert test.exists() or path.stem in BASES or _holds_tables_alone(path), test.name


def _holds_tables_alone(path):
    """Whether a file has rows of configs and no code to run."""
    text = path.read_text()
    return bool(re.search("^TABLES? = ", text, re.M)) and not re.search(
        "^(def [a-z]|class )", text, re.M)


def test_engine_knows_no_family_and_no_method():
    rooms = {there for path in FILES if _room(path) == "model"
             for there, *_ in _imports(path)}
    assert rooms and not rooms & {"families", "methods"}, rooms


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_package_holds_no_experiment_and_knows_no_tool(path):
    text = path.read_text()
    assert not re.search(r"^\s*(from|import) tools\b", text, re.M)
    assert not re.search(r"^def run\(seed", text, re.M)


@pytest.mark.parametrize("path", [p for p in CODE if p.relative_to(ROOT).parts[0] in (
    "bdlzoo", "tools")], ids=_name)
def test_no_file_is_longer_than_400_lines(path):
    assert len(path.read_text().splitlines()) <= 400


def test_readme_names_every_program():
    text = (ROOT / "README.md").read_text()
    programs = [path.stem for path in (ROOT / "tools").glob("*.py")
                if "console.run(main)" in path.read_text()]
    # What `list` is for, `bdlzoo --help` says.
    verbs = [verb for verb in command.VERBS if verb != "list"]
    assert len(programs) + len(verbs) >= 7
    for name in (*programs, *verbs):
        assert any(f"{before}{name}{behind}" in text for before, behind in (
            ("bdlzoo ", ""), ("tools.", ""), ("", ".sh"))), name


def test_linter_is_content():
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "."],
        cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_mutant_finds_the_line_that_it_breaks():
    assert not mutants.lost(mutants.mutants())
