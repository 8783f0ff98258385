"""Predictions with 1 to 256 draws, beside one pass and four other libraries."""

from tools.benchmark.modes import KERAS, TORCH
from tools.benchmark.section import Contender, Growth, Section, Target, Workload
from tools.benchmark.sizes import LINEAR, counted

BUDGET = 512.0  # Megabytes of a prediction, equal to `bdlzoo.surgery.memory.BUDGET`.
_SIZES = {f"draws{count}": count for count in (1, 4, 16, 64, 100, 256)}
_COMPARED = (1, 100)  # Numbers of draws at which other libraries are timed.
_OURS = ("head", "every", "weights")


def _workload(count):
    only = () if count in _COMPARED else (*_OURS, "pass")
    return Workload(counted(count, "draws"), 0.5 if count < 16 else 0.05, only)


def _library(label, worker, modes, ours, subject=None):
    return Contender(label, worker, modes, subject, "library", (ours,))


def _target(ours, other, limit=1.0):
    return Target("draws100", other, limit, ours=ours)


SECTION = Section(
    title="Predictions with 1 to 256 draws",
    note="LeNet 20-50-500, 256 images. A step is a prediction: `sample_outputs` of "
         "ours gives all draws at once, as a user calls it. One deterministic pass "
         "is the plain network in a `tf.function`, run once for any number of draws. "
         "Random are the inputs of the last layer (dropout), the inputs of all layers "
         "after the first (dropout), or all kernels (Flipout, coherent draws). baal "
         "caches the outputs of its layers for equal inputs. torch-uncertainty and "
         "bayesian-torch run the network for each draw; torch-uncertainty is timed "
         "with one tall batch as well. `tfp.layers` calls a `tf.function` for each "
         "draw. Other libraries are timed at 1 and 100 draws. Memory is the largest "
         "that a process has used above its start, up to this number of draws, with "
         "tracing.",
    contenders={
        "head": Contender("bdlzoo, dropout before the last layer", "draws",
                          ("graph",), "head"),
        "every": Contender("bdlzoo, dropout after every layer", "draws", ("graph",),
                           "every"),
        "weights": Contender("bdlzoo, all weights random", "draws", ("graph",),
                             "weights"),
        "pass": Contender("one deterministic pass", "draws", ("graph",), "pass",
                          "plain"),
        "baal_head": _library("baal, dropout before the last layer, cached", "baal",
                              TORCH, "head", "head"),
        "baal_every": _library("baal, dropout after every layer", "baal", TORCH,
                               "every", "every"),
        "tu_head": _library("torch-uncertainty, dropout before the last layer",
                            "torch_uncertainty", ("loop", "batch"), "head", "head"),
        "tu_every": _library("torch-uncertainty, dropout after every layer",
                             "torch_uncertainty", ("loop", "batch"), "every",
                             "every"),
        "torch_weights": _library("bayesian-torch, all weights random",
                                  "bayesian_torch", TORCH, "weights"),
        "tfp_weights": _library("`tfp.layers`, all weights random", "tfp_layers",
                                KERAS, "weights"),
    },
    workloads={name: _workload(count) for name, count in _SIZES.items()},
    targets=(
        _target("head", "pass", 1.6), _target("every", "pass", 75.0),
        _target("weights", "pass", 120.0),
        _target("head", "baal_head"), _target("head", "tu_head"),
        _target("every", "baal_every"), _target("every", "tu_every"),
        _target("weights", "torch_weights"), _target("weights", "tfp_weights")),
    growth=Growth("draws", _SIZES, _OURS, LINEAR, BUDGET),
)
