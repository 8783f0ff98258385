"""Tests of the readable names."""

import pytest

from tools.reproduce import registry
from tools.reproduce.columns import Column, column


def test_metric_has_a_title_and_a_direction():
    assert column("auroc_uniform") == Column("AUROC, uniform noise", "higher")
    assert column("nll") == Column("NLL", "lower")
    assert column("kl").better == ""


def test_numbers_at_the_end_share_an_entry():
    assert column("accuracy_100") == Column("accuracy, 100 labels", "higher")
    assert column("labels_to_90") == Column("labels to 90 %", "lower")


def test_one_name_can_mean_something_else_in_one_table():
    assert column("fgsm", "adversarial_mnist").title == "FGSM"
    assert column("fgsm", "adapted_detection").title == "AUROC, FGSM"


def test_metric_without_a_name_is_an_error():
    with pytest.raises(ValueError, match="Received: metric='new_metric'"):
        column("new_metric")
    with pytest.raises(ValueError, match="columns.py"):
        column("brier_100")


def test_every_metric_of_every_table_has_a_name():
    for table in registry.tables().values():
        assert all(column(metric, table.name).title for metric in table.metrics)
