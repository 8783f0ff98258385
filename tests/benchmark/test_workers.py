"""Workers of the benchmarks: what they count and what they run."""

import numpy as np
import pytest
import tensorflow as tf

from tools.benchmark import every_method
from tools.benchmark.workers import (
    arithmetic,
    draws,
    exported,
    growth,
    recurrent,
    zoo_model,
    zoo_steps,
)


def _counted(function, *shapes):
    traced = tf.function(function, autograph=False).get_concrete_function(
        *(tf.TensorSpec(shape) for shape in shapes))
    return arithmetic.of_graph(traced.graph)


def test_products_of_matrices_are_counted():
    found = _counted(lambda a, b: tf.matmul(a, b), (3, 5), (5, 7))
    assert found == {"GFLOP": 2 * 3 * 5 * 7 / 1e9, "million random words": 0.0}
    assert _counted(lambda a, b: tf.matmul(a, b, transpose_a=True), (4, 5, 3), (
        4, 5, 7))["GFLOP"] == 2 * 4 * 3 * 5 * 7 / 1e9
    assert _counted(lambda a, b: tf.einsum("bij,bjk->bik", a, b), (4, 3, 5), (
        4, 5, 7))["GFLOP"] == 2 * 4 * 3 * 5 * 7 / 1e9


def test_convolution_and_its_gradients_cost_the_same():
    def gradients(x, kernel):
        with tf.GradientTape() as tape:
            tape.watch([x, kernel])
            y = tf.nn.conv2d(x, kernel, 1, "VALID")
        return y, tape.gradient(y, [x, kernel])

    once = 2 * 2 * 6 * 6 * 4 * 3 * 3 * 5  # Outputs [2, 6, 6, 4] of [3, 3, 5, 4].
    found = _counted(gradients, (2, 8, 8, 5), (3, 3, 5, 4))
    assert found["GFLOP"] == pytest.approx(3 * once / 1e9)
    assert _counted(lambda x, k: tf.nn.depthwise_conv2d(x, k, [1] * 4, "VALID"), (
        2, 8, 8, 5), (3, 3, 5, 1))["GFLOP"] == 2 * 2 * 6 * 6 * 5 * 9 / 1e9


def test_what_nothing_depends_on_costs_nothing():
    def half(a, b):
        tf.matmul(a, a)
        return tf.matmul(a, b)

    assert _counted(half, (3, 3), (3, 3))["GFLOP"] == 2 * 27 / 1e9


def test_calls_branches_loops_and_unknown_shapes_are_looked_into():
    inner = tf.function(tf.matmul)

    def nested(a, b):
        a = tf.cond(a[0, 0] > 0, lambda: inner(a, b), lambda: a)
        return tf.while_loop(lambda c: c[0, 0] > 0, lambda c: [inner(c, b)], [a])

    assert _counted(nested, (3, 3), (3, 3))["GFLOP"] == 2 * 2 * 27 / 1e9
    assert _counted(lambda a, b: tf.matmul(a, b), (None, 5), (5, 7)) == {
        "GFLOP": 0.0, "million random words": 0.0, "of unknown shape": 1}


def test_loop_that_counts_costs_as_often_as_it_runs():
    @tf.function(autograph=False)
    def power(a, count):
        return tf.while_loop(lambda i, _: i < count,
                             lambda i, c: (i + 1, tf.matmul(a, c)), (2, a))[1]

    assert _counted(lambda a: power(a, 9), (3, 3))["GFLOP"] == 7 * 2 * 27 / 1e9
    # The number of rounds as a tensor that the function is given.
    assert _counted(lambda a: power(a, tf.constant(6)), (3, 3))["GFLOP"] == (
        4 * 2 * 27 / 1e9)


def test_step_of_mc_dropout_has_the_arithmetic_of_the_plain_one():
    runs = [zoo_steps.prepare(name, "mlp", "graph", 1)
            for name in ("plain", "mc_dropout")]
    plain, dropped = (run.facts() for run in runs)
    rows, weights = 128, 784 * 400 + 400 * 400 + 4000
    once = 2 * rows * (3 * weights - 784 * 400)  # No gradient of the inputs.
    assert plain["GFLOP"] == dropped["GFLOP"] == once / 1e9
    # Four masks of 8 bits in a word, and some words for the keys.
    assert dropped["million random words"] * 1e6 == pytest.approx(
        rows * 800 / 4, rel=0.01)
    runs[0]()


def test_every_method_has_a_config_for_every_network():
    for method in every_method.names():
        for workload, network in zoo_model.NETWORKS.items():
            found = zoo_model.config(method, workload)
            own = ("SDEMLP", "CellMLP") if workload == "mlp" else ()
            assert found.network.type in (network, *own)
    found = zoo_model.config("pac_bayes", "lenet").network
    assert (found.layer.type, found.conv.type) == ("DenseExemplar", "Conv2DExemplar")
    assert zoo_model.config("dbsn", "lenet").network.type == "LeNet"
    assert zoo_model.config("dbsn", "lenet", own_network=True).network.type == "CellMLP"


def test_method_that_cannot_take_a_network_says_why():
    with pytest.raises(ValueError, match="Expected .* [Rr]eceived: "):
        zoo_steps.prepare("dbsn", "lenet", "graph", 1)


@pytest.mark.parametrize("subject", ["head", "pass"])
def test_draws_are_as_many_as_asked_for(subject, monkeypatch):
    monkeypatch.setattr(draws, "ROWS", 2)
    asked = []
    original = draws.methods.MCDropout.sample_outputs
    monkeypatch.setattr(draws.methods.MCDropout, "sample_outputs", lambda *a: (
        asked.append(a[2]), original(*a))[1])
    draws.prepare(subject, "draws3", "graph", 2)()
    assert asked == ([3, 3] if subject == "head" else [])


def test_members_and_rows_grow():
    growth.prepare("members", "members2", "graph", 1)()
    growth.prepare("prediction", "rows5", "graph", 1)()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["sgld", "sde_net", "deep_ensemble"])
def test_exports_answer_and_have_a_size(method):
    run = exported.prepare(method, "one", "graph", 1)
    run()
    assert run.facts()["MB"] > 1
    assert np.isfinite(run.facts()["MB"])


@pytest.mark.slow
@pytest.mark.parametrize("subject", ["dropout", "flipout", "keras"])
def test_recurrent_networks_train_and_draw(subject, monkeypatch):
    monkeypatch.setattr(recurrent, "UNITS", 3)
    recurrent.prepare(subject, "step", "graph", 2)()
    drawn = recurrent.prepare(subject, "draws", "graph", 1)()[0]
    shape = (recurrent.BATCH_SIZE, 1)
    assert drawn.shape == (shape if subject == "keras" else (
        recurrent.NUM_DRAWS, *shape))
