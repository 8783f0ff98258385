"""Networks of many styles through the seven doors.

The full gauntlet is slow: cells run in processes of their own, and files and exports
are read in fresh ones. By default a few cells run here, with files but no exports.
"""

import re

import keras
import numpy as np
import pytest

from tests.gauntlet import cells, checks, doors, steps
from tests.gauntlet.networks import NETWORKS
from tests.gauntlet.record import DOORS

CELLS = [(name, door) for name in NETWORKS for door in DOORS]
# Networks that are quick to trace, one for a door.
QUICK = [("mlp", "mc_dropout"), ("softmax_end", "bayesianize"),
         ("shared_layer", "deep_ensemble"), ("nested", "from_models"),
         ("binary_sigmoid", "adopted")]
GROUP = 6  # Networks whose cells share processes.


@pytest.mark.parametrize("name, door", QUICK)
def test_quick_cell_equals_its_network_and_its_file(name, door, tmp_path):
    net = NETWORKS[name]
    model, wanted, _ = doors.enter(net, door, eager=True)
    model.save(tmp_path / steps.MADE)
    loaded = keras.saving.load_model(tmp_path / steps.MADE)
    checks.close(loaded.sample_outputs(net.inputs, doors.SAMPLES, seed=doors.SEED),
                 wanted["draws"], "draws after .keras")


class _Verdicts(dict):
    """Verdicts of the cells that are asked for, some networks at a time."""

    def __init__(self, asked, factory):
        super().__init__()
        self.asked, self.factory = asked, factory

    def __missing__(self, cell):
        names = list(dict.fromkeys(name for name, _ in self.asked))
        first = names.index(cell[0]) // GROUP * GROUP
        group = names[first:first + GROUP]
        self.update(cells.judged([c for c in self.asked if c[0] in group],
                                 self.factory.mktemp("cells")))
        return self[cell]


@pytest.fixture(scope="module")
def verdicts(request, tmp_path_factory):
    asked = [tuple(item.callspec.params[word] for word in ("name", "door"))
             for item in request.session.items if "verdicts" in item.fixturenames]
    return _Verdicts(asked, tmp_path_factory)


@pytest.mark.slow
@pytest.mark.parametrize("name, door", CELLS)
def test_cell(verdicts, name, door):
    assert verdicts[name, door]["status"] != "bad", verdicts[name, door]["text"]


def test_gauntlet_is_wide_enough():
    """At least 40 networks, two of which Keras itself cannot write or find."""
    assert len(NETWORKS) >= 44
    steps_refused = [refusal.step for net in NETWORKS.values()
                     for refusal in net.refused.values()]
    assert {"model", "save", "load"} == {*steps_refused}
    assert sum(net.drops for net in NETWORKS.values()) > 40


@pytest.mark.parametrize("name", NETWORKS)
def test_targets_fit_the_outputs(name):
    net = NETWORKS[name]
    rows = {len(part) for part in keras.tree.flatten(net.inputs)}
    assert rows == {len(net.targets)} == {16}
    for refusal in net.refused.values():
        assert refusal.reason and re.compile(refusal.message)


def test_checks_see_what_is_wrong():
    draws = np.zeros([2, 3, 4])
    checks.agree(draws)
    with pytest.raises(AssertionError, match="all equal"):
        checks.differ(draws)
    draws[1] = 1.0
    checks.differ(draws)
    with pytest.raises(AssertionError, match="without noise"):
        checks.agree(draws)
    with pytest.raises(AssertionError, match=r"mean: 0\.001 apart"):
        checks.close([1.0, 0.001], [1.0, 0.0], "mean")
    with pytest.raises(AssertionError, match="shape"):
        checks.close(np.zeros([2, 1]), np.zeros([2]), "mean")
    with pytest.raises(AssertionError, match="not finite"):
        checks.close([np.nan], [np.nan], "mean")
    with pytest.raises(AssertionError, match="no warning names own_noise"):
        checks.warned(["own_noise"], ["another layer"])


def test_state_that_a_copy_lost_is_seen():
    def scaled(mean):
        return keras.Sequential([keras.Input((1,)), keras.layers.Normalization(
            mean=mean, variance=1.0, name="scaled")])

    checks.kept(scaled(2.0), scaled(2.0), ["scaled"])
    with pytest.raises(AssertionError, match="state of layer scaled is lost"):
        checks.kept(scaled(0.0), scaled(2.0), ["scaled"])


def test_dropout_of_cells_and_layers_inside_is_turned_off():
    for name in ("lstm_dropout", "mlp_mixer", "attention_dropout"):
        network = checks.quiet(NETWORKS[name].seeded())
        inputs = NETWORKS[name].inputs
        np.testing.assert_array_equal(network(inputs, training=True),
                                      network(inputs, training=True))
