"""Staged pages: all documents of the checkout, with links that work on a site.

    README.md                    the home page
    docs/**                      as they are, at the same place
    CONTRIBUTING.md, CHANGELOG.md
    bdlzoo/presets/*/*/README.md the cards of the presets
    the reference                one page for each public name, see `reference`
    source/**                    files of code that a page links to

A link to a file of code leads to the page of its public name, or else to a page with
its source: no address of a repository is known here.
"""

import os
import pathlib
import re

from bdlzoo.core.whole_file import write_text
from tools.website import gallery, reference

ROOT = pathlib.Path(__file__).parents[2]
COPIED = {".png", ".csv", ".tex", ".json", ".gif"}
_OUT_OF_SEARCH = "---\nsearch:\n  exclude: true\n---\n\n"
_LINK = re.compile(r"(\]\()([^)\s]+)(\))|(\bsrc=\")([^\"]+)(\")")
_CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.M | re.S)


def staged(folder):
    """Writes all pages into a folder.

    Args:
        folder: Folder, which holds nothing else.

    Returns:
        Dictionary from the path of a page, below the folder, to its text.
    """
    folder = pathlib.Path(folder)
    documents = found_documents()
    places = {source: page for page, source in documents.items()}
    code = reference.by_file()
    places.update((file, f"reference/{page}") for file, page in code.items())
    texts, wanted = {}, set()
    for page, source in documents.items():
        if not source.endswith(".md"):
            (folder / page).parent.mkdir(parents=True, exist_ok=True)
            (folder / page).write_bytes((ROOT / source).read_bytes())
            continue
        text = (ROOT / source).read_text()
        texts[page] = relinked(text, source, page, places, wanted)
    texts.update((f"reference/{page}", text)
                 for page, text in reference.pages().items())
    texts["gallery.md"] = gallery.page(texts)
    texts["presets.md"] = _presets(documents)
    for source in sorted(wanted):
        texts[_source_page(source)] = source_text(source)
    for page, text in texts.items():
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        write_text(folder / page, text)
    return texts


def found_documents():
    """Dictionary from the path of a page or picture to its file in the checkout."""
    found = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md",
             "changelog.md": "CHANGELOG.md"}
    for path in sorted((ROOT / "docs").rglob("*")):
        if path.suffix in COPIED | {".md"}:
            found[path.relative_to(ROOT / "docs").as_posix()] = _name(path)
    for path in sorted((ROOT / "docs/tutorials").glob("*.py")):
        found[f"tutorials/{path.name}"] = _name(path)
    for path in sorted(ROOT.glob("bdlzoo/presets/*/*/README.md")):
        found[f"presets/{path.parts[-3]}/{path.parts[-2]}.md"] = _name(path)
    return found


def relinked(text, source, page, places, wanted=None):
    """The text of a document, with its links as they are on the site.

    Args:
        text: String.
        source: Path of the document in the checkout.
        page: Path of its page on the site.
        places: Dictionary from a path in the checkout to its page on the site.
        wanted: Set that gets the files of code that need a page, or `None`.

    Raises:
        ValueError: If a link leads to no file.
    """
    def moved(found):
        before, target, after = (part for part in found.groups() if part is not None)
        address, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not address:
            return found[0]
        there = os.path.normpath(os.path.join(os.path.dirname(source), address))
        if there not in places:
            if not (ROOT / there).is_file():
                raise ValueError("Expected links that lead to a file. Received: "
                                 f"{target} in {source}")
            if wanted is not None:
                wanted.add(there)
        place = places.get(there) or _source_page(there)
        address = os.path.relpath(place, os.path.dirname(page) or ".")
        return f"{before}{address}{'#' if anchor else ''}{anchor}{after}"

    # Code holds brackets too, which are no links.
    return "".join(part if _CODE.fullmatch(part) else _LINK.sub(moved, part)
                   for part in _CODE.split(text))


def source_text(source):
    """The text of a page that shows a file.

    Args:
        source: Path of the file in the checkout.
    """
    language = {".py": "python", ".sh": "bash"}.get(pathlib.Path(source).suffix, "text")
    return (f"{_OUT_OF_SEARCH}# `{source}`\n\n````{language}\n"
            f"{(ROOT / source).read_text().rstrip()}\n````\n")


def _source_page(source):
    return f"source/{source}.md"


def _presets(documents):
    lines = ["# Presets", "", "Trained models that come with the package. The figures "
             "of a card are measured with the loaded preset.", ""]
    for page, source in documents.items():
        if page.startswith("presets/"):
            title = (ROOT / source).read_text().split("\n", 1)[0].removeprefix("# ")
            lines.append(f"- [{title}]({page})")
    return "\n".join(lines) + "\n"


def _name(path):
    return path.relative_to(ROOT).as_posix()
