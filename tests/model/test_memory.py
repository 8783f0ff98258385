"""Chunks of rows keep draws within the budget."""

from bdlzoo.model import memory
from bdlzoo.networks import MLP


def test_small_data_go_in_one_piece():
    assert memory.rows_per_chunk(MLP((4,), (8,), 2), 100) == 100


def test_activations_of_a_chunk_fit_the_budget(monkeypatch):
    monkeypatch.setattr(memory, "BUDGET", 10**6)
    network = MLP((4,), (100,), 10)
    rows = memory.rows_per_chunk(network, 10**6)
    assert 10 * 4 * (rows * 110 + network.count_params()) <= 10**6
    assert 10 * 4 * ((rows + 1) * 110 + network.count_params()) > 10**6


def test_kernels_count_and_one_row_always_goes(monkeypatch):
    wide = MLP((4,), (1000,), 10)
    monkeypatch.setattr(memory, "BUDGET", 10**6)
    small = memory.rows_per_chunk(wide, 10**6)
    monkeypatch.setattr(memory, "BUDGET", 10**7)
    assert memory.rows_per_chunk(wide, 10**6) > 10 * small
    monkeypatch.setattr(memory, "BUDGET", 1)
    assert memory.rows_per_chunk(wide, 10**6) == 1
