"""Sets beside the inputs, by the section `side_sets` of a config."""

import numpy as np
import pytest

from bdlzoo import corruptions, data, runs
from bdlzoo.runs.side_sets import load_side_set


def test_a_corrupted_copy_is_the_images_after_the_corruption():
    plain = load_side_set("digits", (8, 8, 1))
    np.testing.assert_array_equal(plain.x, data.load("digits").x)
    spec = dict(name="digits", corruption="Contrast", severity=4, limit=5)
    x, y = load_side_set(spec, (8, 8, 1))
    np.testing.assert_array_equal(y, plain.y[:5])
    np.testing.assert_allclose(x, corruptions.Contrast(4)(plain.x[:5]), atol=1e-6)
    assert spec["limit"] == 5  # The spec stays as it is.
    assert load_side_set({**spec, "corruption": None}, (8, 8, 1)).x.max() == 1.0


def test_images_get_the_shape_of_the_inputs():
    x, _ = load_side_set("digits", (12, 12, 3), "test")
    assert x.shape == (len(data.load("digits", "test").x), 12, 12, 3)


def test_classes_are_counted_in_training_and_chosen_in_tests():
    spec = dict(name="digits", class_counts=((3, 7), (1, 2)))
    assert np.bincount(load_side_set(spec, (8, 8, 1)).y).tolist() == [7, 2]
    test = data.load("digits", "test").y
    assert np.bincount(load_side_set(spec, (8, 8, 1), "test").y).tolist() == [
        np.sum(test == 3), np.sum(test == 1)]


def test_a_run_scores_both_domains(tmp_path):
    run = runs.open_run(runs.read_config("digits/cat.py", "smoke"), tmp_path / "run")
    metrics = run.complete(verbose=0)
    assert {"accuracy", "target_accuracy", "target_ece"} <= set(metrics)
    history = runs.read_history(tmp_path / "run" / "history.csv")
    assert len(history["target_accuracy"]) == len(history["pseudo_share"]) == 1


@pytest.mark.slow
def test_report_shows_both_domains_and_what_the_model_draws(tmp_path):
    run = runs.open_run(runs.read_config("digits/cat.py", "smoke"), tmp_path / "run")
    run.complete(verbose=0)
    found = run.report(shift=10)
    page = (tmp_path / "run/report.html").read_text()
    for words in ("run, target", "Domain curves", "Feature plane",
                  "Target reliability before calibration",
                  "Target reliability after calibration"):
        assert words in page
    assert (tmp_path / "run/plots/feature_plane.png").exists()
    assert {"failures", "target_failures", "auroc_uniform",
            "target_auroc_uniform"} <= set(found)
    target = runs.load_side_set(run.config.side_sets.target, (8, 8, 1), "test")
    probabilities = run.model.predict(target.x, verbose=0)
    assert found["target_accuracy"] == pytest.approx(
        np.mean(probabilities.argmax(axis=1) == target.y), abs=1e-6)


def test_config_chooses_classes_and_resizes_images():
    config = runs.read_config("digits/source_only.py", "smoke")
    with config.unlocked():
        config.data.class_counts = ((0, 20), (1, 10))
        config.data.image_shape = (10, 10, 1)
    splits = runs.load_data(config)
    assert np.bincount(splits["train"].y).tolist() == [20, 10]
    assert splits["test"].x.shape[1:] == (10, 10, 1) and splits["test"].y.max() == 1
