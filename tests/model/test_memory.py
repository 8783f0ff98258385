"""Chunks of rows keep draws within the budget."""

from bdlzoo.model import memory
from bdlzoo.networks import MLP
from tests.model import strange_networks


def test_activations_and_weights_are_counted_in_bytes():
    network = MLP((4,), (100,), 10)
    assert memory.needs(network) == (4 * 110, 4 * network.count_params())


def test_subclassed_network_gets_a_guess():
    network = strange_networks.subclassed()
    network.build((None, 6))
    assert memory.needs(network)[0] > 0


def test_rows_and_weights_of_all_draws_under_way_fit_the_budget(monkeypatch):
    monkeypatch.setattr(memory, "BUDGET", 10**6)
    rows = memory.rows_at_once(440, 5000)
    assert 10 * (rows * 440 + 5000) <= 10**6 < 10 * ((rows + 1) * 440 + 5000)


def test_one_row_always_goes(monkeypatch):
    monkeypatch.setattr(memory, "BUDGET", 1)
    assert memory.rows_at_once(440, 5000) == 1
