"""Tests of all tables together, those of configs alone among them."""

import importlib
import inspect
import json
import pathlib

import pytest

from bdlzoo import runs
from tools.reproduce import registry
from tools.reproduce.columns import column
from tools.reproduce.table import SUBJECTS

ROOT = pathlib.Path(__file__).parents[2]
TABLES = registry.tables()


def _each_table(function):
    return pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))(function)


def test_every_table_of_the_folder_is_found_once():
    found = [table.name for path in registry.FOLDER.glob("[!_]*.py")
             for table in registry._tables_of(path)]
    assert sorted(found) == sorted(TABLES) and len(found) == len(set(found)) > 45


def test_every_kept_result_has_its_table():
    kept = {path.stem for path in (ROOT / "docs/results").glob("*.json")}
    assert kept <= set(TABLES)


def test_tables_are_in_the_order_of_subjects():
    places = [SUBJECTS.index(table.subject) for table in TABLES.values()]
    assert places == sorted(places) and set(places) == set(range(len(SUBJECTS)))


# Tables with fewer than three runs of a line and without a reason: to be run.
FEW = {"adapted_detection_cnn", "adversarial_mnist", "alpha_adversarial",
       "camvid_others", "certificate", "concrete_mnist", "consistency_cifar10",
       "deep_sea_search", "direct_bias", "dropout_family", "ensemble",
       "generator_modes", "gray_box_detection", "influence",
       "label_efficiency", "minigrid_rooms", "mnist_posteriors_fcnn2",
       "posterior_active_learning", "posterior_storage", "projected_samples",
       "random_labels", "structured_gan_labels", "structured_vae", "vardo"}


@_each_table
def test_few_seeds_have_their_reason(table):
    path = ROOT / f"docs/results/{table.name}.json"
    run = json.loads(path.read_text())["seeds"] if path.exists() else table.num_seeds
    few = min(table.num_seeds, run) - len(table.chosen_on) < 3
    assert few == (bool(table.few_seeds) or table.name in FEW)
    assert not (table.few_seeds and table.name in FEW)


@_each_table
def test_reasons_are_of_lines_of_the_table(table):
    labels = {row.label for row in table.rows}
    for key, reason in table.reasons.items():
        label, metric = key if isinstance(key, tuple) else (key, table.metrics[0])
        assert label in labels and metric in table.metrics and reason.endswith(".")


@_each_table
def test_every_row_can_be_run(table):
    for row in table.rows:
        if row.experiment:
            experiment = importlib.import_module(f"tools.reproduce.{row.source}")
            # Fails where an argument is unknown.
            inspect.signature(experiment.run).bind(seed=0, **row.changes)
        else:
            config = runs.read_config(row.source)
            for key, value in row.changes.items():
                config.update_from_flattened_dict({key: value})


@_each_table
def test_published_values_and_headlines_are_among_the_figures(table):
    labels = [row.label for row in table.rows]
    assert len(labels) == len(set(labels))
    for row in table.rows:
        assert set(row.published) <= set(table.metrics), row.label
    for label, metric in table.headline:
        assert label in labels and metric in table.metrics, (label, metric)


@_each_table
def test_columns_have_readable_names_that_differ(table):
    titles = [column(metric, table.name).title for metric in table.metrics]
    assert len(titles) == len(set(titles))
    assert not any("_" in title for title in titles)
    assert "seconds" not in table.metrics  # The name of the time of a run.


@_each_table
def test_notes_pictures_and_shared_runs_are_there(table):
    assert table.note.endswith(".") and "docs/figures" not in table.note
    assert not table.runs or table.runs in TABLES
    for name in table.figures:
        assert (ROOT / "docs/figures" / name).exists(), name
    if table.incomparable:  # Or there is nothing to compare.
        assert "ublished" in table.note or "paper" in table.note
