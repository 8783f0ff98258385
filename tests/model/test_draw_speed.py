"""Draws cost what their random part costs: ratios, measured in one run."""

import time

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.likelihoods import Categorical, StochasticLogits
from bdlzoo.methods import MCDropout
from bdlzoo.networks import LeNet, UNet


def _interleaved_medians(functions, repeats):
    """Median seconds of each; in turns, since machines are noisy."""
    seconds = {name: [] for name in functions}
    for function in functions.values():
        function()
    for _ in range(repeats):
        for name, function in functions.items():
            begin = time.perf_counter()
            function()
            seconds[name].append(time.perf_counter() - begin)
    return {name: np.median(values) for name, values in seconds.items()}


@pytest.mark.slow
def test_64_draws_of_a_stochastic_head_cost_at_most_two_passes(capsys):
    x = np.random.default_rng(0).uniform(size=(256, 28, 28, 1)).astype("float32")
    network = LeNet((28, 28, 1), dropout=0.5)
    model = MCDropout(network, seed=0)
    model.build((None, 28, 28, 1))
    plain = keras.Sequential([keras.Input((28, 28, 1)), network])
    plain.compile()
    once = tf.function(lambda rows: network(rows, training=False))
    rows = tf.constant(x)
    times = _interleaved_medians({
        "one pass": lambda: once(rows).numpy(),
        "64 draws": lambda: model.sample_outputs(rows, 64, seed=0).numpy(),
        "one predict": lambda: plain.predict(x, batch_size=256, verbose=0)}, 20)
    passes = times["64 draws"] / times["one pass"]
    speedup = 64 * times["one predict"] / times["64 draws"]
    with capsys.disabled():
        print(f"\n64 draws = {passes:.2f} deterministic passes "
              f"({1e3 * times['64 draws']:.1f} ms against "
              f"{1e3 * times['one pass']:.1f}), {speedup:.0f} times faster than "
              "64 calls of predict")
    assert passes <= 2.0
    assert speedup >= 20


@pytest.mark.slow
@pytest.mark.parametrize("likelihood", [Categorical(), StochasticLogits()])
def test_50_draws_of_a_unet_and_its_maps_cost_at_most_55_passes(likelihood, capsys):
    """With dropout in all blocks, where no draw shares a layer with another."""
    x = np.random.default_rng(0).uniform(size=(4, 96, 128, 3)).astype("float32")
    network = UNet((96, 128, 3), 12, dropout=0.5, dropout_at="all")
    model = MCDropout(network, likelihood, seed=0)
    model.build((None, 96, 128, 3))
    once = tf.function(lambda rows: network(rows, training=False))
    rows = tf.constant(x)
    times = _interleaved_medians({
        "one pass": lambda: once(rows).numpy(),
        "maps": lambda: model.predict_uncertainty(x, 50).mutual_information}, 3)
    passes = times["maps"] / times["one pass"]
    with capsys.disabled():
        print(f"\nmaps of 50 draws = {passes:.1f} passes ({times['maps']:.2f} s)")
    assert passes <= 55.0
