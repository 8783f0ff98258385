"""Tests of all tables together, those of configs alone among them."""

import importlib
import inspect
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
