r"""Executes the tutorials, and writes a page of each with its outputs and pictures.

    python -m tools.tutorials --name=first_steps
    python -m tools.tutorials --name=all --notebooks=runs/notebooks
    python -m tools.tutorials --name=none

A tutorial is a Python file of `docs/tutorials` in the percent format of jupytext. Each
runs in a process of its own, in an empty folder, with the packages of the extra `docs`.
What a page shows is the output of that run. With `--name=none` nothing is executed: the
list of tutorials, and the words of pages whose code is the same, are written again.
"""

import base64
import io
import os
import pathlib
import re
import tempfile

import numpy as np
from absl import flags
from PIL import Image

from bdlzoo.core.whole_file import write_text
from bdlzoo.programs import console

ROOT = pathlib.Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "tutorials"
INDEX = ROOT / "docs" / "tutorials.md"
# In the order in which somebody new should read them.
NAMES = ("first_steps", "any_network", "calibration", "outside_inputs",
         "ensembles_and_gaussian_processes", "posterior_samples", "regression",
         "fine_tuning", "batch_norm_and_dropout", "active_learning", "segmentation",
         "attacks", "generating", "from_tfp_layers", "serving", "writing_a_method")
_COLOURS = 128  # Of a picture: enough for plots, and a third of the size.
_RESOLUTION = "figure.dpi: 110\n"
# What follows a cell of code on a page: text, and a picture.
_OUTPUT = re.compile(r"(?:\n\n(```text\n.*?\n```))?(?:\n\n(!\[[^\]]*\]\([^)]*\)))?",
                     re.S)
_NAME = flags.DEFINE_list("name", [], f"all, none, or some of {', '.join(NAMES)}.",
                          allow_override=True)
_NOTEBOOKS = flags.DEFINE_string(
    "notebooks", None, "Folder for executed notebooks; none are kept without it.")
_TIMEOUT = flags.DEFINE_integer(
    "timeout", 180, "Seconds that a cell may take.", lower_bound=1)


def main(argv):
    del argv
    with console.explained():
        for name in chosen(_NAME.value):
            notebook = executed(name, _TIMEOUT.value)
            write(notebook, name)
            if _NOTEBOOKS.value:
                keep(notebook, name, _NOTEBOOKS.value)
            print(f"Written: {FOLDER / name}.md", flush=True)
        for name in NAMES:
            write_text(FOLDER / f"{name}.md", reworded(name))
        write_text(INDEX, index())


def chosen(names):
    """The tutorials that `--name` asks for."""
    unknown = sorted(set(names) - {*NAMES, "all", "none"})
    if unknown or not names:
        raise ValueError(f"Expected --name=all, none, or some of {', '.join(NAMES)}. "
                         f"Received: --name={','.join(names)}")
    return list(NAMES) if "all" in names else [n for n in names if n != "none"]


def headline(name):
    """Title and first sentence of a tutorial.

    Args:
        name: String, name of its file.
    """
    first = cells((FOLDER / f"{name}.py").read_text())[0][1]
    title, text = first.split("\n", 1)
    return title.removeprefix("# "), " ".join(text.split()).split(". ")[0] + "."


def cells(text):
    """Cells of a file in the percent format: pairs of a kind and a text.

    Args:
        text: String, contents of the file.

    Returns:
        List of `("markdown", text)` and `("code", text)`.
    """
    found = []
    for part in ("\n" + text).split("\n# %%")[1:]:
        head, body = part.split("\n", 1)
        if "[markdown]" in head:
            lines = (line.removeprefix("#").removeprefix(" ")
                     for line in body.strip().splitlines())
            found.append(("markdown", "\n".join(lines)))
        else:
            found.append(("code", body.strip()))
    return found


def executed(name, timeout=180):
    """The notebook of a tutorial, with the outputs of a run.

    Args:
        name: String, name of its file.
        timeout: Integer, seconds that a cell may take.
    """
    # Packages of the extra `docs`; what needs none of them works without.
    import jupytext
    from nbclient import NotebookClient

    notebook = jupytext.read(FOLDER / f"{name}.py")
    with tempfile.TemporaryDirectory() as folder:
        settings = pathlib.Path(folder, "matplotlibrc")
        settings.write_text(_RESOLUTION)
        client = NotebookClient(notebook, timeout=timeout, kernel_name="python3",
                                resources={"metadata": {"path": folder}})
        client.execute(env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2",
                            "MATPLOTLIBRC": str(settings)})
    return notebook


def write(notebook, name, folder=FOLDER):
    """Writes the page of a tutorial, and its pictures.

    Args:
        notebook: Notebook with outputs.
        name: String, name of the tutorial.
        folder: Folder of the page.
    """
    text, pictures = page(notebook, name)
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for old in (folder / "pictures").glob(f"{name}_[0-9]*.png"):
        old.unlink()
    for file, image in pictures.items():
        (folder / "pictures" / file).write_bytes(smaller(image))
    write_text(folder / f"{name}.md", text)


def page(notebook, name):
    """Text of the page of a notebook, and its pictures by the name of the file."""
    parts, pictures = [], {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source.strip())
            continue
        parts.append(_block("python", plain(cell.source)))
        printed, shown = [], None
        for output in cell.outputs:
            if output.output_type == "stream":
                printed += [said(output.text)] * (output.name == "stdout")
            elif "image/png" in output.get("data", {}):
                shown = base64.b64decode(output.data["image/png"])
        if "".join(printed).strip():
            parts.append(_block("text", "".join(printed).rstrip()))
        if shown:
            file = f"{name}_{len(pictures) + 1}.png"
            if "alt" not in cell.metadata:
                raise ValueError("Expected words for who cannot see a picture, as in "
                                 f"`# %% alt=\"...\"`. Received: none for {file}")
            pictures[file] = shown
            parts.append(f"![{cell.metadata.alt}](pictures/{file})")
    parts.insert(1, _origin(name))
    return "\n\n".join(parts) + "\n", pictures


def reworded(name, folder=FOLDER):
    """The page of a tutorial with the words of its file, and its outputs as they were.

    Args:
        name: String, name of the tutorial.
        folder: Folder of file and page.

    Raises:
        ValueError: If the code has changed since the page was written.
    """
    text, parts = (folder / f"{name}.md").read_text(), []
    for kind, source in cells((folder / f"{name}.py").read_text()):
        if kind == "markdown":
            parts.append(source)
            continue
        parts.append(_block("python", plain(source)))
        before, code, text = text.partition(parts[-1])
        if not code or "```python" in before:
            raise ValueError("Expected a page of this code: run `python -m "
                             f"tools.tutorials --name={name}`. Received: "
                             f"{folder / name}.md without\n{plain(source)}")
        parts += [part for part in _OUTPUT.match(text).groups() if part]
    if "```python" in text:
        raise ValueError(f"Expected no code that is not in {name}.py: run `python -m "
                         f"tools.tutorials --name={name}`. Received: {text[:200]}")
    parts.insert(1, _origin(name))
    return "\n\n".join(parts) + "\n"


def _block(language, text):
    return f"```{language}\n{text}\n```"


def _origin(name):
    return (f"Written by `python -m tools.tutorials` from [{name}.py]({name}.py), with "
            "what a run has printed.")


def said(text):
    """What a tutorial printed, without warnings that TensorFlow mixes in.

    It writes them to the output where it takes a session to be interactive, and
    elsewhere to the stream of errors, which is on no page.
    """
    return "".join(line for line in text.splitlines(keepends=True)
                   if not line.startswith(("WARNING:tensorflow:", "INFO:tensorflow:")))


def plain(source):
    """Code without the lines that are for notebooks alone."""
    return "\n".join(line for line in source.splitlines()
                     if not line.startswith(("%", "# %"))).strip()


def smaller(image):
    """A picture with fewer colours, as bytes of a PNG file."""
    picture = Image.open(io.BytesIO(image)).convert("RGB")
    if len(np.unique(np.reshape(picture, [-1, 3]), axis=0)) > _COLOURS:
        picture = picture.quantize(_COLOURS, dither=Image.Dither.NONE)
    written = io.BytesIO()
    picture.save(written, "png", optimize=True)
    return written.getvalue()


def keep(notebook, name, folder):
    """Writes an executed notebook.

    Args:
        notebook: Notebook with outputs.
        name: String, name of the tutorial.
        folder: Folder to write it to.
    """
    import jupytext

    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    jupytext.write(notebook, pathlib.Path(folder, f"{name}.ipynb"))


def index():
    """The text of the list of tutorials."""
    rows = []
    for name in NAMES:
        title, sentence = headline(name)
        rows.append(f"| [{title}](tutorials/{name}.md) | {sentence} |")
    return "\n".join([
        "# Tutorials", "",
        "Each is a Python file that runs in less than three minutes on two cores, with "
        "data that come with the package. Its page shows what a run has printed; "
        "`python -m tools.tutorials --name=all` executes them again.", "",
        "| Tutorial | What it is about |", "|---|---|", *rows]) + "\n"


if __name__ == "__main__":
    console.run(main)
