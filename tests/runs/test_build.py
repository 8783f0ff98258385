"""Data, networks and models of a config."""


import keras
import numpy as np
import pytest

from bdlzoo import runs
from bdlzoo.families import decay


def _config(**changes):
    config = runs.read_config("digits/mc_dropout.py", "smoke")
    config.update(changes)
    return config


def _adapter(path):
    config = runs.read_config("digits/bayes_adapter.py", "smoke")
    config.method.allow_untrained = False
    config.pretrained = str(path)
    return config


def test_parts_of_a_model_have_optimisers_of_their_own():
    config = runs.read_config("digits/dbsn.py", "smoke")
    model = runs.load_model(config, (8, 8, 1))
    assert type(model.optimizer) is keras.optimizers.SGD
    assert model.structure_optimizer.beta_1 == 0.5
    np.testing.assert_allclose(model.structure_optimizer.learning_rate, 3e-3)


def test_schedule_counts_the_steps_of_the_run():
    config = _config(epochs=3)
    config.optimizer = dict(type="SGD", learning_rate=dict(
        type="CosineDecay", initial_learning_rate=0.5))
    model = runs.load_model(config, (8, 8, 1), steps_per_epoch=10)
    assert model.optimizer.get_config()["learning_rate"]["config"][
        "decay_steps"] == 30


def test_training_starts_from_the_network_of_a_run(run, tmp_path):
    """Its means are the weights there, and the file of that network will do too."""
    network = run.model.network
    network.save(tmp_path / "plain.keras")
    for path in (run.workdir, run.workdir / "model.keras", tmp_path / "plain.keras"):
        model = runs.load_model(_adapter(path), (8, 8, 1))
        for weight, value in zip(decay.weights(model.network),
                                 network.trainable_variables, strict=True):
            np.testing.assert_array_equal(weight.mean, value)


def test_what_is_no_trained_network_is_refused(tmp_path, run):
    (tmp_path / "notes.keras").write_text("not a model")
    config = runs.read_config("digits/deep_ensemble.py", "smoke")
    ensemble = runs.load_model(config, (8, 8, 1))
    ensemble.save(tmp_path / "ensemble.keras")
    for path, words in ((tmp_path / "notes.keras", "file of a trained Keras model"),
                        (tmp_path, "folder of a finished run"),
                        (tmp_path / "none.keras", "none.keras, with the error"),
                        (tmp_path / "ensemble.keras", "one network.*DeepEnsemble")):
        with pytest.raises(ValueError, match=words):
            runs.load_network(path)
    with pytest.raises(ValueError, match="--config.pretrained"):
        config = _adapter("")
        runs.load_model(config, (8, 8, 1))


def test_every_optimiser_of_a_config_has_its_schedule():
    config = runs.read_config("digits/bayes_adapter.py", "smoke")
    config.scale_optimizer = dict(type="SGD", learning_rate=dict(
        type="CosineDecay", initial_learning_rate=0.5))
    model = runs.load_model(config, (8, 8, 1), steps_per_epoch=10)
    assert model.scale_optimizer.get_config()["learning_rate"]["config"][
        "decay_steps"] == 10


def test_config_of_another_kind_of_model_is_refused():
    config = runs.read_config("digits/vae.py", "smoke")
    config.method = {"type": "MCDropout"}
    with pytest.raises(ValueError, match="MCDropout, with network.*without network"):
        runs.load_model(config, (8, 8, 1))
    config = _config()
    with config.unlocked():
        config.method = {"type": "VAE"}
    with pytest.raises(ValueError, match="VAE, with encoder.*without encoder"):
        runs.load_model(config, (8, 8, 1))


def test_unknown_method_names_the_nearest():
    config = _config()
    config.method.type = "MCDropot"
    with pytest.raises(ValueError, match="MCDropout"):
        runs.load_model(config, (8, 8, 1))


def test_pixels_are_rounded_where_a_config_says_so():
    config = runs.read_config("digits/vae.py", "smoke")
    assert 0.0 < runs.load_data(config)["train"].x.mean() < 1.0
    config.data.round = True
    assert set(np.unique(runs.load_data(config)["test"].x)) == {0.0, 1.0}


def test_models_side_by_side_take_gaussian_likelihoods_only():
    config = _config(likelihood=dict(type="laplace"))
    with pytest.raises(ValueError, match="side by side.*Laplace"):
        runs.load_model(config, (8, 8, 1), copies=3)


def test_labels_of_few_rows_are_kept():
    config = runs.read_config("digits/semi_supervised_vae.py", "smoke")
    config.data.labels = 20
    splits = runs.load_data(config)
    assert np.sum(splits["train"].y >= 0) == 20
    assert (splits["train"].y == -1).any() and (splits["validation"].y >= 0).all()
