"""Libraries around Keras that take models, where they are installed."""

import keras
import numpy as np
import pytest

import bdlzoo
from bdlzoo.methods import SGLD, BayesAdapter, DeepEnsemble, MCDropout, MeanFieldVI
from tests.doors import small_networks as small

pytestmark = pytest.mark.slow


def test_keras_tuner_searches_over_models_of_the_zoo(tmp_path):
    tuner_library = pytest.importorskip(
        "keras_tuner", reason="keras-tuner is not installed")
    x, y = small.numbers(), small.labels()

    def build(choices):
        model = MCDropout(small.mlp(), num_samples=2, seed=1)
        model.compile(keras.optimizers.SGD(choices.Choice("rate", [0.01, 0.1])))
        return model

    tuner = tuner_library.GridSearch(
        build, objective="val_loss", directory=tmp_path, project_name="a")
    tuner.search(x, y, epochs=1, validation_data=(x, y), verbose=0)
    best = tuner.get_best_models()[0]
    trial = tuner.oracle.get_best_trials()[0]
    np.testing.assert_allclose(
        best.evaluate(x, y, verbose=0, return_dict=True)["loss"], trial.score,
        rtol=1e-4)


def bert(keras_hub):
    """A small BERT with a head of three classes, and inputs of it."""
    backbone = keras_hub.models.BertBackbone(
        vocabulary_size=30, num_layers=2, num_heads=2, hidden_dim=8,
        intermediate_dim=16, dropout=0.3, max_sequence_length=6)
    outputs = keras.layers.Dense(3)(backbone.output["pooled_output"])
    x = {"token_ids": np.arange(48).reshape(8, 6).astype("int32") % 30,
         "segment_ids": np.zeros((8, 6), "int32"),
         "padding_mask": np.ones((8, 6), "int32")}
    return keras.Model(backbone.input, outputs), x


def vit(keras_hub):
    """A small vision transformer with a head of three classes, and images."""
    backbone = keras_hub.models.ViTBackbone(
        image_shape=(8, 8, 3), patch_size=4, num_layers=2, num_heads=2, hidden_dim=8,
        mlp_dim=16, dropout_rate=0.3)
    inputs = keras.Input((8, 8, 3))
    outputs = keras.layers.Dense(3)(backbone(inputs)[:, 0])
    x = np.random.default_rng(0).normal(size=(8, 8, 8, 3)).astype("float32")
    return keras.Model(inputs, outputs), x


WAYS = {
    "mc_dropout": lambda build: MCDropout(build(), num_samples=2, seed=1),
    "last_layer": lambda build: MeanFieldVI(
        bdlzoo.bayesianize(build(), select=1, verbose=False), num_samples=2, seed=1),
    "mean_field_vi": lambda build: MeanFieldVI(
        bdlzoo.bayesianize(build(), verbose=False), num_samples=2, seed=1),
    "ensemble": lambda build: DeepEnsemble(build(), num_members=2, seed=1),
    "from_models": lambda build: DeepEnsemble.from_models([build(), build()], seed=1),
    "sgld": lambda build: SGLD(build(), seed=1),
    "bayes_adapter": lambda build: BayesAdapter(
        build(), allow_untrained=True, num_samples=2, seed=1)}


CLONING = ("last_layer", "mean_field_vi", "bayes_adapter")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("build", [bert, vit])
def test_keras_hub_backbones_are_networks(build, way, tmp_path):
    try:
        import keras_hub
    except Exception as error:  # It may be there and not fit this TensorFlow.
        pytest.skip(f"keras-hub cannot be imported: {error}")
    x = build(keras_hub)[1]
    if build is vit and way in CLONING:  # Its config has keys that it does not take.
        with pytest.raises(ValueError, match="(?s)vit_patching.*num_patches"):
            WAYS[way](lambda: build(keras_hub)[0])
        return
    model = WAYS[way](lambda: build(keras_hub)[0])
    model.compile(keras.optimizers.SGD(0.01))
    model.fit(x, small.labels(8), epochs=2, verbose=0)
    draws = model.sample_outputs(x)
    assert np.abs(draws[0] - draws[1]).max() > 1e-4
    expected = model.predict(x, verbose=0)
    model.save(tmp_path / "a.keras")
    loaded = keras.saving.load_model(tmp_path / "a.keras")
    np.testing.assert_allclose(loaded.predict(x, verbose=0), expected, atol=1e-5)
