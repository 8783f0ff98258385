"""The Bayesian twin of a model: same function, one posterior for each weight."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo
from bdlzoo.core import keras_internals
from bdlzoo.methods import MeanFieldVI
from bdlzoo.surgery import conversion

X = np.random.default_rng(0).normal(size=(8, 12, 12, 2)).astype("float32")


def _network():
    """Convolutions, BatchNorm, a skip, a nested model, a layer used twice."""
    inputs = keras.Input((12, 12, 2))
    shared = keras.layers.Conv2D(4, 3, padding="same", name="shared")
    x = keras.layers.Conv2D(4, 3, padding="same", activation="relu",
                            kernel_regularizer="l2", name="first")(inputs)
    x = keras.layers.BatchNormalization()(x)
    x = keras.layers.Add()([shared(shared(x)), x])
    x = keras.layers.DepthwiseConv2D(3, strides=2, name="depthwise")(x)
    inner = keras.Sequential([keras.Input((5, 5, 4)), keras.layers.Flatten(),
                              keras.layers.Dense(6, activation="tanh",
                                                 name="inner")], name="nested")
    outputs = keras.layers.Dense(3, name="last")(inner(x))
    network = keras.Model(inputs, outputs)
    network.layers[2].moving_mean.assign([0.1, -0.2, 0.3, 0.0])
    return network


@pytest.mark.parametrize("technique", ["flipout", "reparameterization",
                                       "local_reparameterization", "exemplar"])
def test_twin_without_scale_is_the_model(technique, capsys):
    network = _network()
    before = [w.numpy() for w in network.weights]
    twin = bdlzoo.bayesianize(network, technique, init_scale=1e-8)
    model = MeanFieldVI(twin, seed=0, num_samples=2)
    draws = model.sample_outputs(X)
    np.testing.assert_allclose(draws[0], network(X), atol=1e-5)
    np.testing.assert_allclose(draws[1], network(X), atol=1e-5)
    for old, new in zip(before, network.weights, strict=True):
        np.testing.assert_array_equal(old, new)
    said = capsys.readouterr().out
    assert "Converted 5 layers" in said and "batch_normalization" in said
    assert "inner (Dense -> Dense" in said


def test_kl_counts_each_weight_once():
    network = _network()
    twin = bdlzoo.bayesianize(network, init_scale=0.02, prior_scale=0.5,
                              verbose=False)
    model = MeanFieldVI(twin, seed=0)
    model.build((None, 12, 12, 2))
    kernels = [network.get_layer(name).kernel for name in (
        "first", "shared", "depthwise", "last")]
    kernels.append(network.get_layer("nested").get_layer("inner").kernel)
    expected = sum(np.sum(np.log(0.5 / 0.02) + (0.02**2 + k.numpy() ** 2)
                          / (2 * 0.25) - 0.5) for k in kernels)
    np.testing.assert_allclose(model.kl(), expected, rtol=1e-5)
    assert not twin.losses  # The prior takes the place of the regulariser.


def test_layers_are_chosen_by_type_name_or_function():
    network = _network()

    def converted(select):
        twin = bdlzoo.bayesianize(network, select=select, verbose=False)
        return {layer.name for layer in conversion.stochastic_layers(twin)}

    assert converted(keras.layers.Dense) == {"inner", "last"}
    assert converted("shared") == {"shared"}
    assert converted(["last", keras.layers.Conv2D]) == {"first", "shared", "last"}
    assert converted(lambda layer: layer.name == "depthwise") == {"depthwise"}


def test_report_calls_a_learnt_prior_no_kept_layer(capsys):
    prior = {"type": "NormalPrior", "learn_scale": True}
    bdlzoo.bayesianize(_network(), prior=prior)
    kept = capsys.readouterr().out.splitlines()[-1]
    assert kept.startswith("Kept with point weights: batch_normalization")
    assert "prior" not in kept


def test_moped_scales_and_centres_by_the_weights():
    network = _network()
    network.get_layer("last").kernel.assign(
        np.where(np.arange(18).reshape(6, 3) < 2, 0.0, network.get_layer(
            "last").kernel))
    twin = bdlzoo.bayesianize(network, moped=0.1, prior_scale=0.3, verbose=False)
    layer, plain = twin.get_layer("last"), network.get_layer("last").kernel.numpy()
    np.testing.assert_array_equal(layer.prior.loc, plain)
    scale = layer.kernel_scale().numpy()
    np.testing.assert_allclose(scale[plain != 0], 0.1 * np.abs(plain[plain != 0]),
                               rtol=1e-4)
    assert (scale > 0).all()  # A weight of zero may still move.
    # At the prior's mean only the scales are apart.
    expected = np.sum(np.log(0.3 / scale) + scale**2 / (2 * 0.09) - 0.5)
    np.testing.assert_allclose(layer.kl(), expected, rtol=1e-5)


def test_a_prior_given_as_an_object_is_made_anew_for_each_layer():
    prior = bdlzoo.layers.NormalPrior(0.3, at_weights=True)
    twin = bdlzoo.bayesianize(_network(), prior=prior, verbose=False)
    model = MeanFieldVI(twin, seed=0)
    model.build((None, 12, 12, 2))
    first, last = (twin.get_layer(name).prior for name in ("first", "last"))
    assert first.loc.shape != last.loc.shape
    assert not prior.built


@pytest.mark.slow
def test_mobilenet_trains_saves_and_exports(tmp_path):
    network = keras.applications.MobileNetV2(
        weights=None, input_shape=(32, 32, 3), classes=10)
    twin = bdlzoo.bayesianize(network, verbose=False, init_scale=1e-3)
    model = MeanFieldVI(twin, {"type": "Categorical", "from_logits": False}, seed=0,
                        num_samples=2)
    model.compile(keras.optimizers.Adam(1e-3), steps_per_execution=1)
    x = np.random.default_rng(0).uniform(size=(16, 32, 32, 3)).astype("float32")
    y = np.arange(16) % 10
    losses = model.fit(x, y, batch_size=16, epochs=20, verbose=0).history["loss"]
    assert np.isfinite(losses).all() and losses[-1] < losses[0]
    weights = sum(layer.kernel.shape.num_elements() for layer in {
        id(part): part for part in keras_internals.layers(twin)
        if hasattr(part, "kernel_scale")}.values())
    convertible = (keras.layers.Dense, keras.layers.Conv2D,
                   keras.layers.DepthwiseConv2D)
    assert weights == sum(
        layer.kernel.shape.num_elements() for layer in network.layers
        if isinstance(layer, convertible))
    draws = model.sample_outputs(x, 2, seed=1)
    model.save(tmp_path / "m.keras")
    again = keras.saving.load_model(tmp_path / "m.keras")
    np.testing.assert_allclose(again.sample_outputs(x, 2, seed=1), draws, atol=1e-5)
    path = model.export(tmp_path / "served")
    served = tf.saved_model.load(path).signatures["samples"](
        inputs=tf.constant(x), num_samples=tf.constant([2]),
        seed=tf.constant([[1, 0]]))["samples"]
    np.testing.assert_allclose(served, draws, atol=1e-4)


def test_subclassed_model_is_refused():
    class Own(keras.Model):
        def call(self, inputs):
            return inputs

    with pytest.raises(ValueError, match="functional or Sequential"):
        bdlzoo.bayesianize(Own())


@pytest.mark.parametrize("options, words", [
    (dict(technique="flipuot"), "technique='flipuot'"),
    (dict(select="lats"), "names of layers.*lats"),
    (dict(select=keras.layers.BatchNormalization), "variational form.*batch_norm"),
    (dict(select=lambda layer: False), "at least one layer"),
    (dict(prior_scale=0.0), "prior_scale=0.0"),
    (dict(moped=-1.0), "moped=-1.0"),
    (dict(technique="variational_dropout"), "DepthwiseConv2D has")])
def test_bad_requests_are_explained(options, words):
    with pytest.raises(ValueError, match=words):
        bdlzoo.bayesianize(_network(), **options)


def test_batch_normalisation_is_converted_where_it_is_asked_for():
    network = _network()
    twin = bdlzoo.bayesianize(network, "exemplar", batch_norm=True, verbose=False,
                              init_scale=1e-8, variational_bias=True)
    norm = twin.layers[2]
    assert type(norm) is bdlzoo.layers.BatchNormalizationExemplar
    np.testing.assert_allclose(norm.moving_mean, [0.1, -0.2, 0.3, 0.0])
    np.testing.assert_allclose(twin(X), network(X), atol=1e-5)
    with pytest.raises(ValueError, match="technique that BatchNormalization has"):
        bdlzoo.bayesianize(network, "reparameterization", batch_norm=True)


SERIES = np.random.default_rng(1).normal(size=(6, 5, 3)).astype("float32")


def _recurrent():
    keras.utils.set_random_seed(0)
    return keras.Sequential([
        keras.Input((5, 3)),
        keras.layers.GRU(4, return_sequences=True, bias_initializer="uniform"),
        keras.layers.GRU(4, reset_after=False, return_sequences=True),
        keras.layers.SimpleRNN(3, return_sequences=True, use_bias=False),
        keras.layers.LSTM(4, recurrent_regularizer="l2", dropout=0.2),
        keras.layers.Dense(2)])


@pytest.mark.parametrize("technique", ["flipout", "reparameterization"])
def test_recurrent_twin_without_scale_is_the_model(technique, capsys):
    network = _recurrent()
    twin = bdlzoo.bayesianize(network, technique, init_scale=1e-8)
    np.testing.assert_allclose(twin(SERIES), network(SERIES), atol=1e-5)
    said = capsys.readouterr().out
    assert "Converted 5 layers" in said and "Kept with point" not in said
    assert "lstm" in said and "-> LSTM" in said
    counts = [w.shape.num_elements() for w in network.weights if len(w.shape) > 1]
    assert f"{sum(counts) - 2 * 12:,} weights" in said  # Less the biases of a GRU.
    assert twin.layers[3].dropout == 0.2 and not twin.losses


def test_recurrent_twin_of_moped_has_scales_in_proportion_to_its_weights():
    network = _recurrent()
    twin = bdlzoo.bayesianize(network, moped=0.1, verbose=False)
    cell, stock = twin.layers[3].cell, network.layers[3].cell
    for part, kernel in ((cell.input_map, stock.kernel),
                         (cell.recurrent_map, stock.recurrent_kernel)):
        large = np.abs(kernel) > 0.05
        np.testing.assert_allclose(part.kernel_scale()[large],
                                   0.1 * np.abs(kernel)[large], rtol=1e-4)
        np.testing.assert_array_equal(part.prior.loc, kernel)


def test_frozen_layers_stay_points_unless_they_are_asked_for():
    network = keras.Sequential([
        keras.Input((3,)), keras.layers.Dense(4, trainable=False, name="frozen"),
        keras.layers.Dense(2, name="head")])
    twin = bdlzoo.bayesianize(network, verbose=False)
    assert [type(layer).__name__ for layer in twin.layers] == ["Dense", "DenseFlipout"]
    asked = bdlzoo.bayesianize(network, select="frozen", verbose=False)
    assert type(asked.layers[0]).__name__ == "DenseFlipout"
