"""Examples of docstrings run, and the names without one become fewer."""

import pytest

from tools import examples

FOUND = examples.examples()
MISSING = {path for path, code in FOUND.items() if not code}
# Bases, results, and what only programs call. None is to be added.
MOST_MISSING = 69


def test_methods_layers_networks_and_reports_have_examples():
    for path in MISSING:
        assert path.split(".")[1] not in ("methods", "layers", "networks", "schedules")


def test_names_without_an_example_become_fewer():
    assert len(MISSING) <= MOST_MISSING, sorted(MISSING)


def test_code_is_read_from_a_docstring():
    assert examples.code_of("Does.\n\nExample:\n\n    x = 1\n    y = 2") == (
        "x = 1\ny = 2")
    assert examples.code_of("Does.\n\n    Example:\n\n    ```python\n    x = 1\n    ```"
                            ) == "x = 1"
    assert examples.code_of(
        "Does.\n\nExample:\n\n    x = 1\n\nReference: One.") == "x = 1"
    assert examples.code_of("Does.\n\nArgs:\n    x: One.") is None


def test_example_runs_with_what_its_reader_has():
    names = examples.execute("count = len(x) * prediction.mean.shape[-1]")
    assert names["count"] == 2400 and "sampler" not in names
    with pytest.raises(NameError):
        examples.execute("nowhere")


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path, code in FOUND.items() if code])
def test_example_runs(path):
    try:
        examples.execute(FOUND[path])
    except ImportError as error:
        pytest.skip(str(error))
