"""The worked example of `CONTRIBUTING.md` works, and its rooms are the house's."""

import pathlib
import re

import keras
import numpy as np
import pytest

from bdlzoo import runs
from tests.test_house import FLOORS

ROOT = pathlib.Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
METHOD, CONFIG, TEST, MUTANT = re.findall(r"```python\n(.*?)```", PAGE, re.S)


@pytest.fixture
def method():
    """The class of the example; its name is forgotten afterwards."""
    names = {}
    exec(METHOD, names)
    yield names["FocalDropout"]
    keras.saving.get_custom_objects().pop("bdlzoo>FocalDropout")


def test_its_test_passes_and_sees_its_fault(method):
    names = {"keras": keras, "np": np, "FocalDropout": method}
    exec(TEST, names)
    names["test_loss_is_that_of_the_paper"]()
    file, right, wrong, _ = eval(f"[{MUTANT}]")[0]
    assert file == "focal_dropout.py" and METHOD.count(right) == 1
    broken = {}
    exec(METHOD.replace(right, wrong), broken)
    names["FocalDropout"] = broken["FocalDropout"]
    with pytest.raises(AssertionError):
        names["test_loss_is_that_of_the_paper"]()


def test_without_focus_it_trains_as_mc_dropout(method):
    from bdlzoo.methods import MCDropout

    x = np.random.default_rng(0).normal(size=(16, 2)).astype("float32")
    y = (x[:, 0] > 0).astype("int32")
    network = keras.Sequential([keras.Input((2,)), keras.layers.Dropout(0.5),
                                keras.layers.Dense(2)])
    start, losses = network.get_weights(), []
    for model in (method(network, focus=0.0, seed=0), MCDropout(network, seed=0)):
        network.set_weights(start)
        model.compile(keras.optimizers.SGD(0.1))
        losses += [model.fit(x, y, epochs=2, verbose=0).history["loss"]]
    np.testing.assert_allclose(*losses, rtol=1e-6)


def test_its_config_builds_the_method(tmp_path):
    (tmp_path / "focal_dropout.py").write_text(CONFIG)
    config = runs.read_config(tmp_path / "focal_dropout.py", "smoke")
    assert config.method.type == "FocalDropout" and config.data.limit == 64


def test_rooms_are_on_their_floors():
    told = {room: int(floor) for floor, rooms in re.findall(
        r"^\| (\d) \| (.*?) \|", PAGE, re.M) for room in re.findall(r"`(\w+)`", rooms)}
    assert told == FLOORS
