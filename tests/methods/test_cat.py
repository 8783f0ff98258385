"""CAT alone and on top of others."""

import keras
import numpy as np
import pytest

from bdlzoo import ExponentialRise
from bdlzoo.families.class_centroids import centroid_loss
from bdlzoo.families.cluster_loss import cluster_loss
from bdlzoo.methods import CAT, MCD, MSTN, VADA, RevGrad, RobustRevGrad, SourceOnly
from tests.families.domains import TARGET, X, Y, compiled, network, weights


def _trained(model, rate=0.1, epochs=1):
    compiled(model, rate)
    logs = model.fit(X, Y, target=TARGET, batch_size=24, epochs=epochs, shuffle=False,
                     verbose=0).history
    return model, logs


def _network(**options):
    keras.utils.set_random_seed(0)
    return network(**options)


def test_loss_is_that_of_the_paper():
    model, logs = _trained(CAT(_network(), margin=3.0, cluster_weight=0.5, seed=0), 0.0)
    source, target = (np.asarray(model.network(rows)) for rows in (X, TARGET))
    guessed = target.argmax(axis=1).astype("int32")
    clusters = cluster_loss(source, Y, 3.0) + cluster_loss(target, guessed, 3.0)
    gaps = centroid_loss(source, Y, target, guessed, 3)
    np.testing.assert_allclose(logs["cluster"][0], clusters, rtol=1e-5)
    np.testing.assert_allclose(logs["centroids"][0], gaps, rtol=1e-4)
    np.testing.assert_allclose(logs["loss"][0], logs["nll"][0] + 0.5 * (
        clusters + gaps), rtol=1e-5)


def test_before_its_start_it_is_its_base():
    late = ExponentialRise(100, 10)
    options = dict(discriminator=(4,), reversal=1.0)
    for alone, base in (
            (SourceOnly(_network(), seed=0), None),
            (RevGrad(_network(), seed=0, **options), {"type": "RevGrad", **options}),
            (MCD(_network(), seed=0), "mcd")):
        plain, _ = _trained(alone)
        model, _ = _trained(CAT(_network(), base=base, cluster_weight=late, seed=0))
        for a, b in zip(weights(plain), weights(model), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [MSTN, RobustRevGrad, VADA])
def test_terms_of_every_base_stay(kind):
    options = dict(discriminator=(4,), reversal=1.0)
    plain, logs = _trained(kind(_network(), seed=0, **options))
    model, beside = _trained(CAT(_network(), seed=0, base={
        "type": kind.__name__, **options}, cluster_weight=ExponentialRise(100, 10)))
    for a, b in zip(weights(plain), weights(model), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-7)
    assert set(logs) < set(beside) and beside["cluster"][0] > 0


def test_a_base_is_a_name_a_spec_or_a_model():
    net, options = _network(), dict(discriminator=(4,), reversal=0.5)
    models = [CAT(net, base={"type": "rev_grad", **options}),
              CAT(base=RevGrad(net, **options)),
              CAT(net, base=RevGrad(net, **options))]
    for model in models:
        assert model.network is net
        assert model.base == {"type": "RevGrad", "discriminator": (4,),
                              "domain_weight": 0.1, "reversal": 0.5}
        assert CAT.from_config(model.get_config()).base == model.base
    assert CAT(net, base="mcd").num_samples == 2 and CAT(net).num_samples == 1


@pytest.mark.parametrize("base", ["cat", "deterministic"])
def test_other_bases_are_refused(base):
    with pytest.raises(ValueError, match="other than CAT.*base="):
        CAT(network(), base=base)


def test_a_base_with_another_network_is_refused():
    with pytest.raises(ValueError, match="with the network and the features"):
        CAT(network(), base=RevGrad(network()))


def test_average_teacher_follows_and_is_saved(tmp_path):
    model, _ = _trained(CAT(_network(), teacher="ema", teacher_decay=0.5, seed=0,
                            cluster_weight=1.0), epochs=2)
    averages = [np.asarray(a) for a in model.label_source.averages]
    assert any(np.abs(a - w).max() > 0 for a, w in zip(
        averages, model.network.get_weights()))
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    for a, b in zip(averages, again.label_source.averages, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_allclose(again.predict(TARGET, verbose=0),
                               model.predict(TARGET, verbose=0), atol=1e-6)


def test_clusters_form():
    _, logs = _trained(CAT(_network(), margin=10.0, cluster_weight=1.0, seed=0),
                           rate=0.05, epochs=40)
    assert logs["cluster"][-1] < 0.2 * logs["cluster"][0]
