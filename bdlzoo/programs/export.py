r"""Exports a trained run as the next version of a SavedModel.

    bdlzoo export --workdir=runs/digits --output=served/digits

A version that is not finished is never visible. The export includes warm-up requests
and the files for the start of TF Serving. The program prints size and latency.
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
    "Inputs of requests: rows like those of training, images of whole numbers from 0 "
    "to 255, or image files.")
_JIT = flags.DEFINE_bool(
    "jit_compile", False, "Compile the model with XLA on the server.")
_MAX_SAMPLES = flags.DEFINE_integer(
    "max_samples", None, "Largest number of draws of a request.")
console.required(workdir="runs/digits", output="served/digits")


def main(argv):
    del argv
    with console.explained():
        run = runs.reopen(_WORKDIR.value)
        run.check_finished()
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


def _preprocessing(model):
    if _INPUTS.value == "rows":
        return None
    return getattr(preprocessing, _INPUTS.value)(
        tuple(model.get_build_config()["input_shape"][1:]))
