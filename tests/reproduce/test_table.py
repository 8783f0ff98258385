"""Tests of rows and tables."""

import dataclasses

import pytest

from tools.reproduce.table import Row, Table


def test_row_of_a_config_is_no_experiment():
    assert not Row("a config", "digits/vardo.py").experiment
    assert Row("an experiment", "vardo_table").experiment


def test_rows_do_not_share_their_values():
    one, other = Row("one", "a.py"), Row("other", "b.py")
    one.published["nll"] = 0.5
    assert other.published == {}


def test_table_cannot_be_changed():
    table = Table("t", "T", "Toys", ("nll",), (), "")
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.name = "other"
