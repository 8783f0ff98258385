"""Tests of the adapted network of Fashion-MNIST, small, on the bundled digits."""

import time

import pytest

from tools.reproduce import adapted_fashion

SMALL = dict(name="digits", held_out=300, epochs=3, kernel_size=2, hidden=16,
             batch_size=64, num_samples=4)


@pytest.mark.slow
def test_both_trainings_are_scored_and_timed():
    begin = time.perf_counter()
    found = adapted_fashion.run(**{**SMALL, "epochs": 40, "hidden": 64})
    taken = time.perf_counter() - begin
    for name in ("accuracy", "ece", "map_accuracy", "map_ece"):
        assert 0 <= found[name] <= 1, name
    assert 0 < found["adapted_seconds"] + found["map_seconds"] < taken
    assert found["time_share"] == found["adapted_seconds"] / found["map_seconds"]
    assert found["accuracy_change"] == found["accuracy"] - found["map_accuracy"]
    assert found["ece_share"] == found["ece"] / found["map_ece"]
    assert found["map_accuracy"] > 0.9 and found["accuracy"] > 0.85


def test_scores_are_those_of_the_network_before_and_after(monkeypatch):
    """Stand-ins for the two models: which one is called what."""
    class Model:
        def __init__(self, network, **options):
            self.network, self.accuracy = network, 0.9 if options else 0.8

        def compile(self, *optimizers):
            rates = [float(o.learning_rate) for o in optimizers]
            assert rates == pytest.approx([0.5, 0.7])

        def fit(self, x, y, batch_size, epochs, verbose):
            assert (len(x), batch_size, epochs) == (1138, 64, 1)

        def evaluate(self, x, y, **options):
            assert len(x) == 359
            return {"accuracy": self.accuracy, "nll": 1.0, "ece": 0.1}

    monkeypatch.setattr(adapted_fashion, "BayesAdapter", Model)
    monkeypatch.setattr(adapted_fashion.fashion_calibration, "trained",
                        lambda *args: Model("plain"))
    clock = iter([0.0, 8.0, 10.0])
    monkeypatch.setattr(adapted_fashion.time, "perf_counter", lambda: next(clock))
    found = adapted_fashion.run(**SMALL, learning_rate=0.5, scale_learning_rate=0.7)
    assert (found["map_seconds"], found["time_share"]) == (8.0, 0.25)
    assert found["accuracy_change"] == pytest.approx(0.1)
    assert found["map_accuracy"] == 0.8 and found["ece_share"] == 1.0
