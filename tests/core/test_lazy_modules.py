"""Lazy modules cost nothing before they are asked for, and are then there."""

import pathlib
import subprocess
import sys

import pytest

import bdlzoo
from bdlzoo.core import lazy_modules

ROOT = pathlib.Path(__file__).parents[2]
# One process for all: to import TensorFlow takes seconds.
CODE = """
import sys, time
import tensorflow, tensorflow_probability.python.distributions
before = set(sys.modules)
start = time.process_time()  # Of this process: others may be busy.
import bdlzoo
cost = time.process_time() - start
heavy = ("tensorflow_datasets", "matplotlib", "sklearn", "jinja2")
new = {name.split(".")[0] for name in set(sys.modules) - before}
print(cost, new.intersection(heavy) or "light")

import keras
def there(*names):
    return [f"bdlzoo.{name}" in sys.modules for name in names]
rooms = ("evaluation", "reports", "runs", "serving")
assert not any(there(*rooms)), there(*rooms)
assert set(rooms) < set(dir(bdlzoo)) and "methods" in dir(bdlzoo)
registered = set(keras.saving.get_custom_objects())
bdlzoo.data.load("moons")  # Keras itself imports `sklearn`, but not its data sets.
assert not {"tensorflow_datasets", "sklearn.datasets"} & set(sys.modules)
assert bdlzoo.evaluation.pac_bayes.certificate
assert there(*rooms) == [True, False, False, False], there(*rooms)
assert bdlzoo.reports.write_report and bdlzoo.runs.read_config
assert bdlzoo.serving.rest_client.RESTClient
# What is registered belongs to files of models: all of it is there at once.
assert set(keras.saving.get_custom_objects()) == registered
"""


def test_import_is_light_and_rooms_are_imported_when_they_are_asked_for():
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, text=True,
                          capture_output=True, timeout=240)
    assert done.returncode == 0, done.stderr
    cost, verdict = done.stdout.split(maxsplit=1)
    assert float(cost) < 0.5 and verdict.strip() == "light", done.stdout


def test_other_names_are_no_attributes():
    get, list_all = lazy_modules.lazy_modules("json", ("decoder", "tool"))
    assert get("tool").__name__ == "json.tool"
    assert {"dumps", "tool"} <= set(list_all())
    with pytest.raises(AttributeError, match="'json' has no attribute 'tools'"):
        get("tools")
    assert not hasattr(bdlzoo, "evaluations")
