"""Chunks of rows keep draws within the budget."""

import keras
import tensorflow as tf

from bdlzoo.networks import MLP
from bdlzoo.surgery import memory
from bdlzoo.surgery.bayesianize import bayesianize
from tests.surgery import strange_networks


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


def test_draws_at_once_are_equal_parts_that_fit_the_budget(monkeypatch):
    monkeypatch.setattr(memory, "BUDGET", 8 * 4 * 3 * 10 * 40)  # 40 draws of 10 rows.
    assert memory.draws_to_sum(10, 3, 40) == 40  # All of them.
    assert memory.draws_to_sum(10, 3, 41) == 21
    assert memory.draws_to_sum(10, 3, 100) == 34  # Three parts, and two past the end.
    assert memory.draws_to_sum(10, 3, 100, group=8) == 40
    assert memory.draws_to_sum(10**6, 3, 100) == 1
    assert memory.draws_to_sum(10**6, 3, 100, group=8) == 8
    assert memory.draws_to_sum(10**6, 3, 5, group=8) == 5
    tensor = memory.draws_to_sum(tf.constant(10), 3, tf.constant(100))
    assert int(tensor) == 34


def test_rows_are_few_enough_for_several_draws_at_once(monkeypatch):
    monkeypatch.setattr(memory, "BUDGET", 8 * 4 * 3 * 1600)
    assert memory.rows_to_sum(3, 1000) == 100
    assert memory.rows_to_sum(3, 4) == 400
    assert memory.rows_to_sum(10**6, 4) == 1


def test_draws_run_one_by_one_where_activations_are_large(monkeypatch):
    monkeypatch.setattr(memory, "BUDGET", 10**6)
    hidden = {"x": tf.zeros([10, 2])}
    assert memory.draws_in_flight(hidden, 100, 0) == 10
    assert memory.draws_in_flight(hidden, 30_000, 10_000) == 3
    assert memory.draws_in_flight(hidden, 10**6, 0) == 1
    assert memory.can_hold(62_500) and not memory.can_hold(62_501)


def test_room_is_made_by_the_largest_kernels_first(monkeypatch):
    network = keras.Sequential([
        keras.Input((6, 6, 1)), keras.layers.Conv2D(2, 3, name="small"),
        keras.layers.Conv2D(4, 3, name="large"), keras.layers.Flatten(),
        keras.layers.Dense(50, name="flat")])
    twin = bayesianize(network, "exemplar", verbose=False)
    small, large, flat = (twin.get_layer(n) for n in ("small", "large", "flat"))
    sizes = 4 * 10 * 18, 4 * 10 * 72  # Bytes of the kernels of ten rows.
    for budget, expected in ((sum(sizes), (False, False)),
                             (sum(sizes) - 1, (False, True)),
                             (sizes[0] - 1, (True, True))):
        monkeypatch.setattr(memory, "BUDGET", budget)
        memory.make_room(twin, 10)
        assert (small.crowded, large.crowded) == expected
        assert not flat.crowded
    assert not memory.make_room(twin, 10)  # Nothing changes, nothing is said.
    assert memory.make_room(twin, 1)
