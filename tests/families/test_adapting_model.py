"""Two domains in one step: what they share, and what they must not."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import ExponentialRise, SigmoidRise
from bdlzoo.methods import CAT, MCD, RevGrad, SourceOnly
from tests.families.domains import TARGET, X, Y, compiled, network, weights


def _fit(model, epochs=1, **changes):
    return model.fit(X, Y, **{"target": TARGET, "batch_size": 12, "epochs": epochs,
                              "verbose": 0, **changes}).history


def test_each_domain_has_statistics_of_its_own_and_averages_of_both():
    net = network(norm=True)
    norm = net.layers[1]
    hidden = [np.asarray(net.layers[0](rows)) for rows in (X, TARGET)]
    model = compiled(RevGrad(net, discriminator=(4,), seed=0), rate=0.0)
    _fit(model, batch_size=24)
    mean = 0.5 * (0.5 * hidden[0].mean(0)) + 0.5 * hidden[1].mean(0)
    np.testing.assert_allclose(norm.moving_mean, mean, rtol=1e-4)


def test_labels_of_the_target_do_not_reach_the_weights():
    found = []
    for labels in (None, 2 - Y):
        keras.utils.set_random_seed(0)
        model = compiled(CAT(network(), seed=0, cluster_weight=1.0))
        logs = _fit(model, target=TARGET if labels is None else (TARGET, labels))
        found.append(weights(model))
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)
    assert {"target_accuracy", "target_ece", "pseudo_share"} <= set(logs)


def test_a_dataset_with_labels_is_taken_without_them():
    found = []
    for target in (TARGET, tf.data.Dataset.from_tensor_slices((TARGET, Y)).batch(12)):
        keras.utils.set_random_seed(0)
        model = compiled(RevGrad(network(), discriminator=(4,), seed=0))
        found.append(_fit(model, target=target, shuffle=False)["loss"])
    np.testing.assert_allclose(*found, rtol=1e-5)


def test_domains_of_other_shapes_are_told_what_to_do():
    images = np.zeros((4, 8, 8, 1), "float32")
    net = keras.Sequential([keras.Input((8, 8, 1)), keras.layers.Flatten(),
                            keras.layers.Dense(2)])
    model = compiled(RevGrad(net, seed=0))
    with pytest.raises(ValueError, match=r"fit_images\(target, \(8, 8, 1\)\)"):
        model.fit(images, np.zeros(4, int), target=np.zeros((4, 9, 9, 1)), verbose=0)
    with pytest.raises(ValueError, match=r"in the shape of the inputs, \[\(4,\)\]\."):
        _fit(compiled(RevGrad(network())), target=TARGET[:, :3])


def test_a_missing_target_is_refused_but_where_it_is_not_needed():
    with pytest.raises(ValueError, match=r"fit\(x, y, target=...\)"):
        _fit(compiled(RevGrad(network())), target=None)
    assert np.isfinite(_fit(compiled(SourceOnly(network())), target=None)["loss"])


def test_hidden_features_are_what_the_head_reads():
    model = compiled(RevGrad(network(hidden=7), features="hidden",
                             discriminator=(4,), seed=0))
    _fit(model)
    [adversary] = model.parts
    assert adversary.discriminator.layers[0].kernel.shape == (7, 4)
    with pytest.raises(ValueError, match="features='last'"):
        RevGrad(network(), features="last")


def test_schedules_that_are_too_long_are_told(caplog):
    model = compiled(CAT(network(), base={"type": "rev_grad", "reversal": 1.0},
                         seed=0, cluster_weight=ExponentialRise(10, 10)))
    assert model.unfinished(10**4) == {}
    _fit(model)
    assert "ClusterAlignment.weight is 0" in caplog.text
    assert set(RevGrad(network(), reversal=SigmoidRise(100)).unfinished(5)) == {
        "DomainAdversary.reversal"}


def test_other_likelihoods_are_refused():
    with pytest.raises(ValueError, match="categorical likelihood"):
        RevGrad(network(), likelihood="gaussian")
    with pytest.raises(ValueError, match="ignore_class=2"):
        RevGrad(network(), likelihood={"type": "categorical", "ignore_class": 2})


def test_only_methods_with_a_second_head_have_a_second_optimiser():
    with pytest.raises(ValueError, match="rival_optimizer=adam"):
        RevGrad(network()).compile("sgd", rival_optimizer="adam")
    model = MCD(network())
    model.compile("sgd")
    assert model.optimizer_names == ("optimizer",)
    with pytest.raises(ValueError, match="gradient_accumulation_steps=2"):
        model.compile(keras.optimizers.SGD(gradient_accumulation_steps=2))
    model.compile("sgd", rival_optimizer=keras.optimizers.SGD(0.3))
    assert model.optimizer_names == ("optimizer", "rival_optimizer")
    _fit(model)
    assert int(model.optimizer.iterations) == 2  # Of 24 rows, 12 a batch.
    assert int(model.rival_optimizer.iterations) == 10  # A step B and four C.


@pytest.mark.slow
def test_compiled_step_equals_plain():
    found = []
    for jit in (False, True):
        keras.utils.set_random_seed(0)
        model = CAT(network(), seed=0, cluster_weight=1.0,
                    base={"type": "robust_rev_grad", "threshold": 0.4,
                          "discriminator": (4,), "reversal": 1.0})
        model.compile(keras.optimizers.SGD(0.1), jit_compile=jit)
        _fit(model, batch_size=24)
        found.append(weights(model))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)
