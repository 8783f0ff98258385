r"""Exports a trained run as the next version of a SavedModel.

    bdlzoo export --workdir=runs/digits --output=served/digits

The version is whole or not there; requests to warm it up and the files that TF
Serving is started with come along. Its size and latency are printed.
"""

from absl import flags

from bdlzoo import runs
from bdlzoo.programs import console
from bdlzoo.serving import preprocessing, server_files
from bdlzoo.serving.publish import publish

_WORKDIR = flags.DEFINE_string("workdir", None, "Folder of a finished run.")
_OUTPUT = flags.DEFINE_string("output", None, "Folder of the served model.")
_INPUTS = flags.DEFINE_enum(
    "inputs", "rows", ["rows", "pixels", "image_bytes"],
    "What requests hold: rows as the model was trained on, images of whole numbers "
    "from 0 to 255, or files of images.")
_JIT = flags.DEFINE_bool(
    "jit_compile", False, "Compile the answers with XLA, on the server.")
_MAX_SAMPLES = flags.DEFINE_integer(
    "max_samples", None, "Most draws that a request may ask for.")
console.required(workdir="runs/digits", output="served/digits")


def main(argv):
    del argv
    with console.explained():
        run = runs.reopen(_WORKDIR.value)
        run.check_finished()
        found = publish(
            run.model, _OUTPUT.value, preprocessing=_preprocessing(run.model),
            jit_compile=_JIT.value, max_samples=_MAX_SAMPLES.value,
            # Compiling takes seconds: before the first request, for all sizes.
            batch_sizes=server_files.BATCH_SIZES if _JIT.value else (1, 32))
    print(f"Exported {found.path} ({found.size / 2**20:.1f} MiB), with "
          f"{run.model.num_samples} draws")
    for size, taken in found.latency.items():
        print(f"  batch of {size:3d}: {taken:8.2f} ms")
    if not found.warm_up:
        print("  without warm-up: install `bdlzoo[serving]` for it")


def _preprocessing(model):
    if _INPUTS.value == "rows":
        return None
    return getattr(preprocessing, _INPUTS.value)(
        tuple(model.get_build_config()["input_shape"][1:]))
