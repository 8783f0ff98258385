"""Arguments of `fit` that a config names."""

import json

import numpy as np
import pytest
from ml_collections import config_dict

from bdlzoo import data, runs
from bdlzoo.likelihoods import Categorical
from bdlzoo.runs.fit_options import fit_options


class _Model:
    likelihood = Categorical(ignore_class=255)


def _config(**more):
    return config_dict.ConfigDict(dict(
        data=dict(name="scenes", num_train=8, size=(12, 10)), **more))


def test_weights_and_augmentation_are_those_of_the_config():
    y = data.load("scenes", validation=0, num_train=8, size=(12, 10)).y
    found = fit_options(_config(class_weight="median_frequency", augmentation=dict(
        type="PairedAugmentation", zoom=0.25)), _Model, y)
    assert found["class_weight"] == data.median_frequency_weights(y, 4, 255)
    assert found["augmentation"].zoom == 0.25
    assert fit_options(_config(), _Model, y) == {}
    with pytest.raises(ValueError, match="Received: class_weight='equal'"):
        fit_options(_config(class_weight="equal"), _Model, y)


@pytest.mark.slow
def test_run_of_pixels_is_whole_and_its_report_has_maps(tmp_path):
    config = runs.read_config("scenes/mc_dropout.py", "smoke")
    with config.unlocked():
        config.augmentation = dict(type="PairedAugmentation", zoom=0.2)
        config.class_weight = "median_frequency"
    run = runs.open_run(config, tmp_path / "run")
    run.complete(verbose=0)
    run.report()
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert 0 <= metrics["miou"] <= 1 and 0 <= metrics["accuracy_kept"] <= 1
    for name in ("maps", "doubtful"):
        assert (tmp_path / "run" / "plots" / f"{name}.png").exists()
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Mean IoU" in page and "Where is it unsure?" in page
    again = runs.reopen(tmp_path / "run").model
    x = run.data["test"].x[:3]
    np.testing.assert_allclose(again.predict(x, verbose=0),
                               run.model.predict(x, verbose=0), atol=1e-6)


def test_images_of_another_size_keep_their_masks():
    config = runs.read_config("scenes/mc_dropout.py", "smoke")
    with config.unlocked():
        config.data.image_shape = (7, 13, 1)
    for x, y in runs.load_data(config).values():
        assert x.shape[1:] == (7, 13, 1) and y.shape[1:] == (7, 13)
