r"""Trains the presets of the package, measures them and writes their cards.

    python -m tools.presets --name=digits/mc_dropout
    python -m tools.presets --name=all
    python -m tools.presets --name=none

Each preset is the model of a config. Its run has a folder below `--workdir` and resumes
after a kill; a run that is done is measured again. The figures of a card are those of
the loaded preset, on all test rows. With `--name=none` nothing is trained; the pages
are written again from the cards.
"""

import dataclasses
import pathlib
import tempfile

import numpy as np
from absl import flags

from bdlzoo import presets, runs
from bdlzoo.core.whole_file import write_json, write_text
from bdlzoo.model.preset_card import card_page
from bdlzoo.model.preset_files import OWN
from bdlzoo.programs import console
from bdlzoo.serving.latency import latency
from bdlzoo.serving.served_version import ServedVersion

_NOISES = ("uniform", "permuted")
_DIGITS = ("For 8 x 8 digits that are written upright and fill the image. Other images "
           "get some class too: look at the entropy.")
_TABLES = "For rows of this set alone: 50 hidden units, little data."
_FREE = "CC BY 4.0 for the data (UCI), Apache 2.0 for the weights"
_OPEN = "The data come with scikit-learn (BSD 3-clause); Apache 2.0 for the weights"


@dataclasses.dataclass(frozen=True)
class Preset:
    """One trained model of the package.

    Args:
        config: Name of the config, whose stem is the name of the preset.
        title: Headline of the card.
        limits: What it should not be used for.
        licence: Of data and weights.
        outside: Sets that it should be unsure of.
        changes: Values that differ from the config, by dotted key.
    """

    config: str
    title: str
    limits: str
    licence: str = _FREE
    outside: tuple = ()
    changes: dict = dataclasses.field(default_factory=dict)

    @property
    def name(self):
        return self.config.removesuffix(".py")


def _of_digits(method, words):
    return Preset(f"digits/{method}.py", f"{words} on 8 x 8 digits", _DIGITS,
                  outside=_NOISES)


PRESETS = {preset.name: preset for preset in (
    _of_digits("deterministic", "One network, as usual,"),
    _of_digits("mc_dropout", "MC dropout"),
    _of_digits("concrete_dropout", "Concrete dropout, whose rates are learnt,"),
    _of_digits("mean_field_vi", "Mean-field posterior by Flipout"),
    _of_digits("deep_ensemble", "Deep ensemble of five"),
    _of_digits("sgld", "Samples of the posterior by SGLD"),
    _of_digits("confid_net", "Classifier that predicts its own errors"),
    _of_digits("mean_teacher", "Mean teacher with few labels"),
    Preset("digits/vae.py", "VAE of 8 x 8 digits", _DIGITS),
    Preset("digits/discrete_vae.py", "VAE with binary codes of 8 x 8 digits", _DIGITS),
    Preset("breast_cancer/mc_dropout.py", "MC dropout on breast cancer", _TABLES),
    Preset("diabetes/mc_dropout.py", "MC dropout on the progression of diabetes",
           _TABLES, _OPEN),
    Preset("sine/mc_dropout.py", "MC dropout on a curve whose noise grows",
           "A toy.", "Apache 2.0"),
)}
_NAME = flags.DEFINE_list("name", [], f"all, none, or some of {', '.join(PRESETS)}.")
_WORKDIR = flags.DEFINE_string("workdir", "runs/presets", "Folder of the runs.",
                               allow_override=True)


def main(argv):
    del argv
    with console.explained():
        for name in chosen(_NAME.value):
            path = write(PRESETS[name], _WORKDIR.value)
            print(f"Written: {path}", flush=True)
        for name in presets.available():
            card = presets.card_of(name)
            write_text(OWN / name / "README.md", card_page(card))


def chosen(names):
    """The presets that `--name` asks for."""
    unknown = sorted(set(names) - {*PRESETS, "all", "none"})
    if unknown or not names:
        raise ValueError(f"Expected --name=all, none, or some of {', '.join(PRESETS)}. "
                         f"Received: --name={','.join(names)}")
    return list(PRESETS) if "all" in names else [n for n in names if n != "none"]


def write(preset, workdir, output=OWN, variant=""):
    """Trains one preset, and writes its folder.

    Args:
        preset: `Preset`.
        workdir: Folder of the runs.
        output: Folder of the presets.
        variant: Of the config, `"smoke"` for a quick test.

    Returns:
        Path of the folder.
    """
    config = config_of(preset.config, preset.changes, variant)
    run = runs.open_run(config, pathlib.Path(workdir, preset.name))
    run.complete(verbose=0)
    folder = pathlib.Path(output, preset.name)
    run.model.save_to_preset(folder, {
        "name": preset.name, "title": preset.title, "data": config.data.name,
        "config": preset.config, "changes": preset.changes, "variant": variant,
        "seed": config.seed, "limits": preset.limits, "licence": preset.licence,
        "outside": list(preset.outside), "command": _command(preset)})
    model, card = presets.load_preset(folder), presets.card_of(folder)
    test = runs.load_data(config)["test"]
    card["figures"] = presets.figures(model, test, preset.outside)
    card["latency"] = latencies(model, test.x)
    write_json(folder / "card.json", card)
    write_text(folder / "README.md", card_page(card))
    return folder


def config_of(name, changes, variant=""):
    """The config of a preset.

    Args:
        name: Name of the config.
        changes: Dictionary of values by dotted key.
        variant: Of the config.
    """
    config = runs.read_config(name, variant)
    config.update_from_flattened_dict(dict(changes))
    return config


def latencies(model, x):
    """Median milliseconds of a served answer, by the number of rows.

    Args:
        model: `StochasticModel`.
        x: Inputs `[N, ...]`.
    """
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        version = ServedVersion(model.export(pathlib.Path(folder, "served")))
        for rows in (1, 64):
            request = {"inputs": np.asarray(x[:rows], "float32")}
            version.run(request)
            found[f"{rows} row{'s' * (rows > 1)}"] = latency(version, request)
    return found


def _command(preset):
    words = "".join(f" --config.{key}={value}" for key, value in preset.changes.items())
    return f"bdlzoo train --config={preset.config}{words} --workdir=runs/preset"


if __name__ == "__main__":
    console.run(main)
