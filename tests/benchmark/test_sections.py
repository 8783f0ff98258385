"""The sections: what they name exists, and the committed pages are theirs."""

import json
import pathlib

import pytest

from bdlzoo.surgery import memory
from tools.benchmark import details, every_method, sections, sizes, summary
from tools.benchmark.sections import draws

ROOT = pathlib.Path(__file__).parents[2]
SECTIONS = sections.load()
ROLES = ("ours", "plain", "library", "other")


@pytest.mark.parametrize("name", SECTIONS)
def test_section_names_workers_and_contenders_that_exist(name):
    found = SECTIONS[name]
    for contender in found.contenders.values():
        worker = ROOT / "tools/benchmark/workers" / f"{contender.worker}.py"
        assert worker.exists() and contender.role in ROLES
        assert set(contender.beside) <= set(found.contenders)
    for target in (*found.targets, *found.agreements):
        assert target.workload in found.workloads
        assert target.other in found.contenders
        named = (getattr(target, "ours", None), *(
            getattr(target, "rivals", None) or ()))
        assert {name for name in named if name} <= set(found.contenders)
    if found.growth:
        assert list(found.growth.sizes) == list(found.workloads)
        assert set(found.growth.contenders) <= set(found.contenders)


def test_every_method_of_the_zoo_is_timed_and_exported():
    assert "mc_dropout" in every_method.names()
    for name in ("steps_mlp", "steps_lenet", "steps_resnet20", "exports"):
        found = SECTIONS[name].contenders
        subjects = {contender.subject for contender in found.values()}
        assert subjects >= set(every_method.names())
    assert found["sgld"].label == "`SGLD`"


def test_size_has_its_unit_in_words():
    assert sizes.counted(1, "draws") == "1 draw"
    assert sizes.counted(1600, "units") == "1,600 units"


def test_budget_of_the_page_is_that_of_predictions():
    assert draws.BUDGET * 2**20 == memory.BUDGET


def test_committed_pages_are_those_of_the_committed_times():
    docs = ROOT / "docs"
    found = {name: json.loads((docs / f"benchmarks/{name}.json").read_text())
             for name in SECTIONS}
    assert (docs / "benchmarks.md").read_text() == summary.page(SECTIONS, found)
    for name, results in found.items():
        page = details.page(name, SECTIONS[name], results)
        assert (docs / f"benchmarks/{name}.md").read_text() == page, name
