"""Presets: folders with a trained model and a card that says what it is.

    model.keras   the model, without its optimiser
    card.json     what it is and what it reaches; has the SHA-256 of the model
    README.md     the card, for people

A preset is named by its folder, by `hf://USER/NAME` or `kaggle://USER/NAME/...`, or by
the name of one that comes with this package, such as `digits/mc_dropout`. Loading one
runs no code of the preset: a model is made of classes that are registered already.
"""

import difflib
import hashlib
import importlib
import json
import pathlib
import tempfile

import keras

from bdlzoo.core.file_error import FileError, reading
from bdlzoo.core.full_disk import explained_full_disk
from bdlzoo.core.whole_file import whole_file, write_json, write_text
from bdlzoo.model import fingerprint, model_file
from bdlzoo.model.preset_card import card_page

OWN = pathlib.Path(__file__).parents[1] / "presets"
_MODEL, _CARD, _PAGE = "model.keras", "card.json", "README.md"
_EXPECTED = "the folder of a preset"
_ADVICE = "Take another copy of it, or save the preset again."
# Package, its function that fetches a preset, and what the address is called there.
_ELSEWHERE = {"hf://": ("huggingface_hub", "snapshot_download"),
              "kaggle://": ("kagglehub", "model_download")}


class PresetFiles:
    """Mixin of models that are saved to presets and loaded from them."""

    def save_to_preset(self, folder, card=None):
        """Writes the folder of a preset: the model without its optimiser, and a card.

        Args:
            folder: Path of a folder, new or of an earlier preset.
            card: Dictionary for JSON of what people should know: `title`, `data`,
                `command`, `figures`, `limits`, `licence`, or any other words.
        """
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with whole_file(folder / _MODEL) as part, tempfile.TemporaryDirectory() as temp:
            whole = pathlib.Path(temp, _MODEL)
            with explained_full_disk(whole):
                self.save(whole)
            # A model that was not compiled has no optimiser in its file.
            smaller = pathlib.Path(temp, f"smaller_{_MODEL}")
            keras.saving.load_model(whole, compile=False).save(smaller)
            part.write_bytes(smaller.read_bytes())
        found = {**(card or {}), "method": type(self).__name__,
                 "weights": self.count_params(), "version": fingerprint.version(),
                 "keras": keras.__version__, "sha256": _checksum(folder / _MODEL),
                 "bytes": (folder / _MODEL).stat().st_size}
        write_json(folder / _CARD, found)
        write_text(folder / _PAGE, card_page(found))

    @classmethod
    def from_preset(cls, preset):
        """Loads the trained model of a preset.

        Args:
            preset: Name of a preset of this package, path of a folder, or an address
                that starts with `hf://` or `kaggle://`.

        Returns:
            Model of this class.
        """
        return load_preset(preset, cls)


def load_preset(preset, kind=PresetFiles):
    """Loads the trained model of a preset.

    Args:
        preset: Name of a preset of this package, path of a folder, or an address that
            starts with `hf://` or `kaggle://`.
        kind: Class that the model must have.

    Returns:
        `StochasticModel` that predicts as it did where its card was measured. It is
        compiled with the optimiser that `compile()` has without arguments.

    Raises:
        FileError: If the folder is not as it was written.

    Example:

        model = bdlzoo.from_preset("digits/mc_dropout")
    """
    folder = folder_of(preset)
    card = card_of(folder)
    path = folder / _MODEL
    with reading(path, _EXPECTED, _ADVICE):
        if _checksum(path) != card["sha256"]:
            raise ValueError("its checksum is not that of the card")
    model = model_file.load(path, _EXPECTED, _ADVICE)
    if not isinstance(model, kind):
        raise ValueError(
            f"Expected the preset of a {kind.__name__}; `bdlzoo.from_preset` loads "
            f"models of any class. Received: {preset}, a {type(model).__name__}")
    model.compile()  # So that `evaluate` works; `compile` again trains otherwise.
    return model


def card_of(preset):
    """The card of a preset, a dictionary.

    Args:
        preset: Name, path or address of the preset.

    Example:

        bdlzoo.presets.card_of("digits/mc_dropout")["figures"]
    """
    path = folder_of(preset) / _CARD
    with reading(path, _EXPECTED, _ADVICE):
        card = json.loads(path.read_text())
        if not isinstance(card, dict) or not isinstance(card.get("sha256"), str):
            raise ValueError("it has no `sha256` of the model")
    return card


def available():
    """Presets of this package: a dictionary from a name to the title on its card.

    Example:

        print(*bdlzoo.presets.available())
    """
    return {path.parent.relative_to(OWN).as_posix(): card_of(path.parent).get("title")
            for path in sorted(OWN.glob(f"*/*/{_CARD}"))}


def folder_of(preset):
    """Path of the folder of a preset; fetches it where it lies elsewhere."""
    text = str(preset)
    for scheme, (package, function) in _ELSEWHERE.items():
        if text.startswith(scheme):
            return _fetched(text.removeprefix(scheme), package, function, text)
    for folder in (pathlib.Path(preset), OWN / text):
        if (folder / _CARD).is_file():
            return folder
    if pathlib.Path(preset).is_dir():
        raise FileError(preset, _EXPECTED, _ADVICE, f"it has no {_CARD}")
    close = difflib.get_close_matches(text, available(), n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise ValueError(
        "Expected the name of a preset that `bdlzoo list presets` shows, the path of a "
        "folder that `save_to_preset` wrote, or an address that starts with hf:// or "
        f"kaggle://.{hint} Received: preset={text!r}")


def _fetched(address, package, function, preset):
    try:
        fetch = getattr(importlib.import_module(package), function)
    except ImportError as error:
        raise ImportError(
            f"Expected the package {package}, which fetches such presets: `pip install "
            f"{package.replace('_', '-')}`. Received: preset={preset!r}") from error
    folder = pathlib.Path(fetch(address))
    if not (folder / _CARD).is_file():
        raise FileError(preset, _EXPECTED, _ADVICE, f"it has no {_CARD}")
    return folder


def _checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
