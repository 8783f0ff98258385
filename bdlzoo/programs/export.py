r"""Exports a trained run as the next version of a SavedModel.

    bdlzoo export --workdir=runs/digits --output=served/digits
    bdlzoo export --workdir=runs/digits --output=digits.onnx --format=onnx

A version that is not finished is never visible. The export includes warm-up requests
and the files for the start of TF Serving. The program prints size and latency. The
formats `onnx` and `litert` are one file, with the draws of `--seed` inside.
"""

from absl import flags

from bdlzoo import runs
from bdlzoo.model import portable_file
from bdlzoo.programs import console
from bdlzoo.serving import preprocessing, server_files
from bdlzoo.serving.publish import publish

_WORKDIR = flags.DEFINE_string("workdir", None, "Folder of a finished run.")
_OUTPUT = flags.DEFINE_string("output", None, "Folder of the served model.")
_INPUTS = flags.DEFINE_enum(
    "inputs", "rows", ["rows", "pixels", "image_bytes"],
    "Inputs of requests: rows like those of training, images of whole numbers from 0 "
    "to 255, or image files.")
_JIT = flags.DEFINE_bool(
    "jit_compile", False, "Compile the model with XLA on the server.")
_MAX_SAMPLES = flags.DEFINE_integer(
    "max_samples", None, "Largest number of draws of a request.")
_FORMAT = flags.DEFINE_enum(
    "format", "tf_saved_model", ["tf_saved_model", *portable_file.FORMATS],
    "Format of the export.")
_NUM_SAMPLES = flags.DEFINE_integer(
    "num_samples", None, "Draws in a file of `--format`; those of the model if empty.")
_SEED = flags.DEFINE_integer(
    "seed", None, "Seed of these draws; that of the model if empty.")
console.required(workdir="runs/digits", output="served/digits")


def main(argv):
    del argv
    with console.explained():
        run = runs.reopen(_WORKDIR.value)
        run.check_finished()
        if _FORMAT.value in portable_file.FORMATS:
            _write_file(run.model)
            return
        _refuse(num_samples=_NUM_SAMPLES.value, seed=_SEED.value)
        found = publish(
            run.model, _OUTPUT.value, preprocessing=_preprocessing(run.model),
            jit_compile=_JIT.value, max_samples=_MAX_SAMPLES.value,
            # XLA compiles each batch size, which takes seconds, in the warm-up.
            batch_sizes=server_files.BATCH_SIZES if _JIT.value else (1, 32))
    print(f"Exported {found.path} ({found.size / 2**20:.1f} MiB), with "
          f"{run.model.num_samples} draws")
    for size, taken in found.latency.items():
        print(f"  batch of {size:3d}: {taken:8.2f} ms")
    if not found.warm_up:
        print("  no warm-up requests: install `bdlzoo[serving]` for them")


def _write_file(model):
    _refuse(max_samples=_MAX_SAMPLES.value, jit_compile=_JIT.value or None)
    try:
        path = model.export(
            _OUTPUT.value, format=_FORMAT.value, preprocessing=_preprocessing(model),
            num_samples=_NUM_SAMPLES.value, seed=_SEED.value)
    except ImportError as error:  # Of the packages of the format.
        console.end(error, ImportError)
    print(f"Exported {path} ({path.stat().st_size / 2**20:.1f} MiB), with "
          f"{_NUM_SAMPLES.value or model.num_samples} draws")


def _refuse(**flags_of_others):
    """Raises where a flag is given that the format does not have."""
    given = {name: value for name, value in flags_of_others.items()
             if value is not None}
    if given:
        raise ValueError(f"Expected no --{next(iter(given))} with "
                         f"--format={_FORMAT.value}. Received: {given}")


def _preprocessing(model):
    if _INPUTS.value == "rows":
        return None
    return getattr(preprocessing, _INPUTS.value)(
        tuple(model.get_build_config()["input_shape"][1:]))
