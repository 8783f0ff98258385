"""Pages of the site: complete, with right links, and no wider than a phone."""

import importlib.util
import inspect
import re
import types

import pytest

import bdlzoo
from tools.website import gallery, links, pages, reference, widths

EXTRA = importlib.util.find_spec("mkdocs") and importlib.util.find_spec("material")


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    """Folder of the staged pages, and their texts."""
    folder = tmp_path_factory.mktemp("pages")
    return folder, pages.staged(folder)


def test_links_of_all_pages_lead_to_files(staged):
    folder, texts = staged
    count = 0
    for page, text in texts.items():
        if page.startswith("source/"):
            continue  # They show code, in which brackets are no links.
        bare = pages._CODE.sub("", text)
        for target in re.findall(r'\]\(([^)\s]+)\)|src="([^"]+)"', bare):
            address = "".join(target).split("#")[0]
            if address and not re.match(r"[a-z]+:", address):
                there = (folder / page).parent / address
                assert there.exists(), f"{page} leads to {address}"
                count += 1
    assert count > 1000


def test_all_documents_are_there(staged):
    _, texts = staged
    for source in (pages.ROOT / "docs").rglob("*.md"):
        assert source.relative_to(pages.ROOT / "docs").as_posix() in texts
    assert {"index.md", "contributing.md", "changelog.md", "gallery.md", "presets.md",
            "choosing.md", "reference/index.md"} <= texts.keys()
    assert len(re.findall(r"^\[!\[", texts["gallery.md"], re.M)) > 60


def test_every_public_name_has_a_page_with_its_arguments(staged):
    _, texts = staged
    names = reference.public_names()
    assert len(names) > 380
    assert {name.word for name in names} > set(bdlzoo.methods.__all__)
    for name in names:
        assert f"::: {name.path}" in texts[f"reference/{name.page}"]
        if name.room != "core" and (inspect.isclass(name.thing)
                                    or inspect.isfunction(name.thing)):
            for word in _arguments(name.thing):
                assert re.search(rf"`?\b{word}`?(, \w+)*:|`{word}`",
                                 name.thing.__doc__), (f"{name.path}: {word}")


def _arguments(thing):
    return [p.name for p in inspect.signature(thing).parameters.values()
            if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]


def test_links_are_moved():
    places = {"docs/results.md": "results.md", "bdlzoo/a.py": "reference/a/A.md"}
    wanted = set()

    def moved(text, source="docs/results/x.md", page="results/x.md"):
        return pages.relinked(text, source, page, places, wanted)

    assert moved("[all](../results.md#how)") == "[all](../results.md#how)"
    assert moved("[A](../../bdlzoo/a.py)") == "[A](../reference/a/A.md)"
    assert moved("[x](docs/results.md)", "README.md", "index.md") == "[x](results.md)"
    assert not wanted
    assert moved("[s](../../setup.cfg)") == "[s](../source/setup.cfg.md)"
    assert wanted == {"setup.cfg"}
    for same in ("[w](https://example.org/x)", "[here](#there)", "`[i](j)`",
                 "```python\nf[0](x)\n```"):
        assert moved(same) == same
    with pytest.raises(ValueError, match="nowhere.md in docs/results/x.md"):
        moved("[n](nowhere.md)")


def test_pictures_are_shown_once():
    texts = {"index.md": "# Home\n\n![a line](figures/a.png)",
             "guide.md": "# Guide\n\n![again](figures/a.png)\n![b](figures/b.png)",
             "other.md": "![c](figures/c.png)"}
    page = gallery.page(texts)
    assert page.count("figures/a.png") == 1
    assert "[![A line](figures/a.png)](index.md)" in page
    assert "B: [Guide](guide.md)" in page and "c.png" not in page


def test_files_that_are_not_there_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<script src="https://elsewhere.org/x.js"></script><a href="b.html#there">'
        '<a href="b.html#nowhere"><a href="c.html"><a href="https://example.org">'
        '<link rel="canonical" href="https://example.org/"><img src="d.png">')
    (tmp_path / "b.html").write_text('<p id="there">')
    assert links.problems(tmp_path) == [
        "a.html fetches https://elsewhere.org/x.js",
        "a.html leads to b.html#nowhere, where there is no such place",
        "a.html leads to c.html, which is not there",
        "a.html leads to d.png, which is not there"]


def test_modules_and_constants_have_pages():
    by_path = {name.path: name for name in reference.public_names()}
    assert isinstance(by_path["bdlzoo.evaluation.detection"].thing, types.ModuleType)
    assert by_path["bdlzoo.runs.CONFIGS"].file == "bdlzoo/runs/__init__.py"
    assert by_path["bdlzoo.methods.sgld.SGLD"].file == "bdlzoo/methods/sgld.py"


@pytest.mark.slow
@pytest.mark.skipif(not widths.chromium(), reason="needs Chromium")
def test_wide_pages_are_found(tmp_path):
    (tmp_path / "narrow.html").write_text("<p>" + "words " * 500)
    (tmp_path / "wide.html").write_text(
        '<div class="md-content"><p style="width:700px">too wide</p></div>')
    (tmp_path / "scrolls.html").write_text(
        '<div style="overflow-x:auto"><p style="width:700px">in a box</p></div>')
    [told] = widths.problems(tmp_path, 400)
    assert told.startswith("wide.html is 7") and "p: too wide" in told


@pytest.mark.slow
@pytest.mark.skipif(not EXTRA, reason="needs the extra `docs`")
def test_site_is_built_without_faults(tmp_path):
    from tools.website import __main__ as website

    website.build(tmp_path / "site")
    assert links.problems(tmp_path / "site") == []
    if not widths.chromium():
        pytest.skip("needs Chromium to look at the pages")
    for width in (400, 1400):
        assert widths.problems(tmp_path / "site", width) == []
