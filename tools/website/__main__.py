r"""Builds the site of the documentation from what is in the checkout, and checks it.

    ./tools/docs.sh
    python -m tools.website --output=site --widths=400,1400

Needs the extra `docs`, and no network. A link that leads nowhere, or a file that a page
would fetch from elsewhere, is an error. With `--widths` every page is laid out in
Chromium at these widths, and one that is wider than the window is an error too.
"""

import pathlib
import shutil
import subprocess
import sys

import yaml
from absl import flags

from bdlzoo.core.whole_file import write_text
from bdlzoo.programs import console
from tools import tutorials
from tools.website import links, pages, widths

ROOT = pathlib.Path(__file__).parents[2]
HERE = pathlib.Path(__file__).parent
_OUTPUT = flags.DEFINE_string("output", "site", "Folder of the site.",
                              allow_override=True)
_WIDTHS = flags.DEFINE_list("widths", [], "Widths in pixels to look at, in Chromium.")
NAV = [
    {"Home": "index.md"},
    {"Choosing": "choosing.md"},
    {"Tutorials": ["tutorials.md", *(
        f"tutorials/{name}.md" for name in tutorials.NAMES)]},
    {"Guide": ["guide.md", "networks.md", "migration.md", "serving.md"]},
    {"Presets": "presets.md"},
    {"Gallery": "gallery.md"},
    {"Reference": ["reference/index.md", "methods.md"]},
    {"Results": ["results.md", "agreement.md"]},
    {"Benchmarks": "benchmarks.md"},
    {"Contributing": "contributing.md"},
    {"Changes": "changelog.md"},
]


def main(argv):
    del argv
    with console.explained():
        output = pathlib.Path(_OUTPUT.value).resolve()
        build(output)
        print(f"Written: {output}/index.html")
        told = links.problems(output)
        for width in map(int, _WIDTHS.value):
            told += widths.problems(output, width)
        if told:
            raise ValueError("Expected a site without faults. Received:\n"
                             + "\n".join(told))


def build(output):
    """Builds the site.

    Args:
        output: Folder of the site, which is made again.
    """
    folder = ROOT / "build" / "website"
    shutil.rmtree(folder, ignore_errors=True)
    texts = pages.staged(folder / "pages")
    shutil.copy(HERE / "site.css", folder / "pages")
    notebooks(folder / "pages" / "tutorials")
    frame = yaml.safe_load((HERE / "mkdocs.yml").read_text())
    frame.update(docs_dir=str(folder / "pages"), site_dir=str(output), nav=NAV)
    for plugin in frame["plugins"]:
        if isinstance(plugin, dict) and "mkdocstrings" in plugin:
            plugin["mkdocstrings"]["handlers"]["python"]["paths"] = [str(ROOT)]
    write_text(folder / "mkdocs.yml", yaml.safe_dump(frame, sort_keys=False))
    print(f"{len(texts)} pages ...", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet",
         f"--config-file={folder / 'mkdocs.yml'}"], cwd=folder, text=True,
        capture_output=True)
    if done.returncode:
        raise ValueError("Expected that mkdocs builds the pages. Received:\n"
                         + done.stderr)


def notebooks(folder):
    """Writes the tutorials as notebooks without outputs, with links to them.

    Args:
        folder: Folder of the staged pages of the tutorials.
    """
    import jupytext

    for name in tutorials.NAMES:
        notebook = jupytext.read(tutorials.FOLDER / f"{name}.py")
        jupytext.write(notebook, folder / f"{name}.ipynb")
        page, link = folder / f"{name}.md", f"[{name}.py]({name}.py)"
        write_text(page, page.read_text().replace(
            link, f"{link} ([notebook]({name}.ipynb))", 1))


if __name__ == "__main__":
    console.run(main)
