"""What models say of themselves, and copies of them."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo
from bdlzoo.methods import SGLD, DeepEnsemble, Deterministic, MCDropout, MeanFieldVI
from tests.doors import small_networks as small

X, Y = small.numbers(), small.labels()
MAKE = {
    "mc_dropout": lambda network: MCDropout(network, num_samples=2, seed=1),
    "deterministic": lambda network: Deterministic(network, seed=1),
    "mean_field_vi": lambda network: MeanFieldVI(
        bdlzoo.bayesianize(network, verbose=False), num_samples=2, seed=1),
    "ensemble": lambda network: DeepEnsemble(network, num_members=2, seed=1),
    "sgld": lambda network: SGLD(network, burn_in=1, thinning=1, num_kept=2, seed=1)}


def _fitted(kind, network=None):
    model = MAKE[kind](network or small.mlp())
    model.compile(keras.optimizers.SGD(0.1))
    model.fit(X, Y, batch_size=8, verbose=0)
    return model


def test_summary_shows_the_layers_of_the_network():
    model = MAKE["mc_dropout"](small.mlp())
    model.build((None, 4))
    lines = []
    model.summary(print_fn=lambda text, **_: lines.append(text), line_length=120)
    text = "\n".join(lines)
    for layer in model.network.layers:
        assert layer.name in text
    assert "Trainable params: 67 " in text


@pytest.mark.slow
@pytest.mark.parametrize("kind", MAKE)
def test_trainable_weights_are_counted(kind):
    model, plain = _fitted(kind), small.mlp().count_params()
    factor = {"ensemble": 2}.get(kind, 1)
    extra = 4 * 8 + 8 * 3 if kind == "mean_field_vi" else 0  # Scales of the kernels.
    count = sum(int(np.prod(w.shape)) for w in model.trainable_weights)
    assert count == factor * plain + extra
    assert sum(w.size for w in model.get_weights()) == model.count_params()


@pytest.mark.slow
@pytest.mark.parametrize("kind", MAKE)
def test_copies_with_the_same_weights_predict_the_same(kind):
    model = _fitted(kind)
    expected = model.predict(X, verbose=0)
    for copy in (keras.models.clone_model(model),
                 keras.models.model_from_json(model.to_json())):
        if kind != "sgld":
            assert np.abs(copy.predict(X, verbose=0) - expected).max() > 1e-3
        copy.set_weights(model.get_weights())
        np.testing.assert_allclose(copy.predict(X, verbose=0), expected, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", MAKE)
def test_calls_inside_a_graph_equal_those_outside(kind):
    model = _fitted(kind)
    expected = model.predict(X, verbose=0)

    @tf.function
    def measured(x):
        return model.measures(x)["probabilities"]

    for found in (model(X), tf.function(model)(X), tf.function(model.call)(X),
                  measured(X)):
        np.testing.assert_allclose(found, expected, atol=1e-6)
    scores = model.evaluate(X, Y, verbose=0, return_dict=True)["loss"]
    model.reset_metrics()
    logs = tf.function(model.test_step)((tf.constant(X), tf.constant(Y)))
    np.testing.assert_allclose(logs["loss"], scores, rtol=1e-5)
    before = [w.numpy() for w in model.trainable_variables]
    tf.function(model.train_step)((tf.constant(X), tf.constant(Y)))
    assert any(np.abs(w - old).max() > 0
               for w, old in zip(model.trainable_variables, before))


@pytest.mark.slow
@pytest.mark.parametrize("kind", MAKE)
def test_frozen_weights_do_not_move(kind):
    network = small.mlp()
    network.layers[0].trainable = False
    model = MAKE[kind](network)
    model.build((None, 4))
    model.compile(keras.optimizers.SGD(0.1))
    name = network.layers[0].name
    before = {w.path: w.numpy() for w in model.weights if f"{name}/" in w.path}
    model.fit(X, Y, epochs=2, verbose=0)
    assert before
    for weight in model.weights:
        if weight.path in before:
            np.testing.assert_array_equal(weight.numpy(), before[weight.path])


@pytest.mark.slow
@pytest.mark.parametrize("kind", MAKE)
def test_mixed_bfloat16_is_the_same_in_process_saved_and_served(kind, tmp_path):
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    try:
        model = _fitted(kind)
        expected = model.predict(X, verbose=0)
        assert expected.dtype == np.float32
        model.save(tmp_path / "a.keras")
        loaded = keras.saving.load_model(tmp_path / "a.keras")
        served = tf.saved_model.load(str(model.export(tmp_path / "served")))
        for found in (loaded.predict(X, verbose=0),
                      model.predict_uncertainty(X, seed=model.seed).mean,
                      served.signatures["serving_default"](
                          inputs=tf.constant(X))["probabilities"]):
            np.testing.assert_allclose(found, expected, atol=1e-5)
    finally:
        keras.mixed_precision.set_global_policy("float32")
