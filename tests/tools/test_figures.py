"""Tests of the program that draws the figures."""

import json
import subprocess
import sys

import numpy as np
import pytest

from bdlzoo import data
from tools import gallery


def _size(path):
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    return tuple(int.from_bytes(content[i:i + 4]) for i in (16, 20))


@pytest.mark.slow
def test_program_writes_the_binary_toy_and_its_caption(tmp_path):
    output = tmp_path / "new"
    words = subprocess.run(
        [sys.executable, "-m", "tools.figures", "--figure=binary_toy",
         f"--output={output}", "--epochs=2"],
        check=True, capture_output=True, text=True).stdout
    assert [path.name for path in output.iterdir()] == ["binary_toy.png"]
    assert _size(output / "binary_toy.png") == (700, 400)
    assert words.splitlines()[-1].startswith(f"{output / 'binary_toy.png'} (")


def test_digit_figures_share_one_model(tmp_path):
    figures = gallery.Figures("digits", epochs=1)
    path = gallery.write(figures, "rotating_digit", tmp_path)
    assert _size(path) == (1000, 420)
    model = figures._model
    figure, _ = figures.ranked_digits()
    assert figures._model is model
    assert len(figure.axes) == 24  # Twelve digits and their bars.


def test_pictures_of_the_vae_share_one_training():
    figures = gallery.Figures("digits", epochs=1)
    samples, _ = figures.vae_samples()
    walk, _ = figures.vae_latent_walk()
    assert len(samples.axes) == 64 and len(walk.axes) == 8 * 11
    assert "_vae" in vars(figures)


def test_codes_of_a_discrete_vae_are_drawn():
    figure, _ = gallery.Figures("digits", epochs=1).discrete_codes()
    assert len(figure.axes) == 8 * 2  # Binary variables, eight of them.


def test_missing_mnist_points_to_the_bundled_digits(tmp_path, monkeypatch):
    def missing(*args, **kwargs):
        raise FileNotFoundError("Expected the TFDS set 'mnist'")

    monkeypatch.setattr(data, "load", missing)
    with pytest.raises(FileNotFoundError, match="'mnist'(.|\n)*--data=digits"):
        gallery.write(gallery.Figures("mnist"), "rotating_digit", tmp_path)
    assert not list(tmp_path.iterdir())


def test_label_curves_are_drawn_from_the_figures_of_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "ROOT", tmp_path)
    figures = gallery.Figures("digits")
    with pytest.raises(FileNotFoundError, match="--table=active_learning"):
        figures.label_curves()
    folder = tmp_path / "docs/results"
    folder.mkdir(parents=True)
    (folder / "active_learning.json").write_text(json.dumps({"rows": [
        {"label": "random", "scores": [
            {"accuracy_100": 0.8, "accuracy_20": 0.4, "seconds": 1.0},
            {"accuracy_100": 0.6, "accuracy_20": 0.5, "seconds": 1.0}]}]}))
    [axes] = figures.label_curves()[0].axes
    np.testing.assert_allclose(axes.lines[0].get_xydata(), [[20, 45], [100, 70]])
    assert axes.get_xscale() == "linear"


def test_asking_and_agreeing_are_drawn_from_the_figures_of_the_table(
        tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "ROOT", tmp_path)
    folder = tmp_path / "docs/results"
    folder.mkdir(parents=True)
    (folder / "label_efficiency.json").write_text(json.dumps({"rows": [
        {"label": name, "scores": [{"accuracy_1000": 0.9, "accuracy_20": low}]}
        for name, low in (("active", 0.5), ("both", 0.75))]}))
    [axes] = gallery.Figures("digits").label_efficiency()[0].axes
    found = {line.get_label(): line.get_ydata().tolist() for line in axes.lines}
    assert found == {"active": [50, 90], "both": [75, 90]}
    assert axes.get_xscale() == "log"


def test_figures_of_agents_are_drawn_from_their_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "ROOT", tmp_path)
    folder = tmp_path / "docs/results"
    folder.mkdir(parents=True)
    (folder / "deep_sea_risk.json").write_text(json.dumps({"rows": [
        {"label": f"epsilon {epsilon}", "scores": [{"gamble": 0.5, "safe": 0.25}]}
        for epsilon in (-1.0, 1.0, 2.0)]}))
    (folder / "rooms_gradients.json").write_text(json.dumps({"rows": [
        {"label": "direct", "scores": [{"steps_1": 1, "steps_2": 9, "finished_1": 0.1,
                                        "finished_2": 0.7, "steps_to_goal": 9}]}]}))
    figures = gallery.Figures("digits")
    below, above = figures.deep_sea_risk()[0].axes
    np.testing.assert_allclose(above.lines[0].get_ydata(), [0.5, 0.5])
    np.testing.assert_allclose(below.lines[2].get_ydata(), [0.25])
    [axes] = figures.rooms_gradients()[0].axes
    np.testing.assert_allclose(axes.lines[0].get_ydata()[[0, -1]], [0.1, 0.7])
    assert axes.get_ylabel() == "share at the goal"
    for table, name in (("thompson_foraging", "return"), ("bandit_regret", "regret")):
        (folder / f"{table}.json").write_text(json.dumps({"rows": [
            {"label": "direct", "scores": [{"steps_1": 1, "steps_2": 9, f"{name}_1": 1,
                                            f"{name}_2": last} for last in (2, 4)]}]}))
        [axes] = getattr(figures, table)()[0].axes
        np.testing.assert_allclose(axes.lines[0].get_ydata()[[0, -1]], [1, 3])
        assert len(axes.collections) == 1 and axes.get_ylabel() == name
    (folder / "thompson_deep_sea.json").write_text(json.dumps({"rows": [
        {"label": "random", "scores": [{"steps_to_solve": 100, "solved": 1}]}]}))
    [axes] = figures.thompson_deep_sea()[0].axes
    assert axes.get_ylabel() == "share of seeds" and (
        axes.lines[0].get_ydata()[[0, -1]] == [0, 1]).all()


def test_every_name_has_its_figure():
    assert all(callable(getattr(gallery.Figures, name)) for name in gallery.NAMES)


@pytest.mark.slow
def test_loss_surfaces_are_of_three_trainings():
    figure, caption = gallery.Figures("digits", epochs=2).loss_surface()
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["trained as usual", "against PGD",
                      "against a law of perturbations", ""]
    assert caption.endswith("nats.")
