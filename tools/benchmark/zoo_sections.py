"""Sections of `tools.benchmark` that look at the zoo itself.

Methods are those of the folder `bdlzoo/methods`: one that is added there is timed.
"""

import pathlib
import re

from tools.benchmark.section import Contender, Growth, Section, Target, Workload

ROOT = pathlib.Path(__file__).parents[2]
KERAS = ("graph", "xla")
TORCH = ("all-cores", "one-core")
DRAWS = (1, 4, 16, 64, 100, 256)
BUDGET = 512.0  # Megabytes of a prediction, as `bdlzoo.surgery.memory` has it.
_LINEAR = 1.05  # Exponent that noise may make of 1.
_OPTIONS = {"adversarial_posterior_distillation": ", generator of width 10",
            "alpha_divergence_dropout": ", 10 draws",
            "bayes_adapter": ", exemplar", "confid_net": ", the classifier",
            "dbsn": ", cells", "deep_ensemble": ", 5 members",
            "degp": ", 5 members", "mean_field_vi": ", Flipout",
            "pac_bayes": ", exemplar", "sde_hnn": ", 2 draws"}


def _methods(worker, modes):
    """A contender for each method of the zoo, by the name of its file."""
    found = {}
    for path in sorted((ROOT / "bdlzoo" / "methods").glob("[!_]*.py")):
        [name] = re.findall(r"^class ([A-Z]\w*)\(", path.read_text(), re.M)
        found[path.stem] = Contender(f"`{name}`{_OPTIONS.get(path.stem, '')}", worker,
                                     modes, path.stem)
    return found


def _steps(title, workload, share):
    return Section(
        title=f"Training steps of all methods: {title}",
        note="Random rows in memory, the same for all members and chains, "
             f"{'32' if workload == 'resnet20' else '128'} a batch, cross entropy, no "
             "metrics but the loss; the compiled train function that `fit` calls, all "
             "steps of a repeat in one call. Options and optimisers are those of "
             "`configs/digits`, on this network; SDE-Net, SDE-HNN and DBSN have "
             "networks of their own in place of the MLP. Methods share one process. "
             "One that cannot take the network says why.",
        contenders={"plain": Contender("plain Keras, Adam", "zoo_steps", KERAS,
                                       "plain"), **_methods("zoo_steps", KERAS)},
        workloads={workload: Workload(title, share)}, together=True, limits=True)


def _growth(axis, title, note, contenders, sizes, share, limit=None):
    return Section(
        title=title, note=note, contenders=contenders,
        workloads={f"{axis}{size}": Workload(f"{size:,} {axis}", share)
                   for size in sizes},
        growth=Growth(axis, {f"{axis}{size}": size for size in sizes},
                      tuple(contenders), limit))


def _grown(label, subject):
    return {subject: Contender(label, "growth", ("graph",), subject)}


_HUNDRED = dict(workload="draws100")
_OWN = ("head", "every", "weights", "pass")

SECTIONS = {
    "steps_mlp": _steps("MLP 784-400-400-10", "mlp", 1.0),
    "steps_lenet": _steps("LeNet 20-50-500 on 28 x 28", "lenet", 0.25),
    "steps_resnet20": _steps("ResNet-20 on 32 x 32", "resnet20", 0.1),
    "dropout": Section(
        title="Steps with dropout, beside dropout of Keras",
        note="Batches of 128 random rows in memory, dropout of 0.5 after every hidden "
             "layer of the MLP and before the last one of LeNet, Adam, cross entropy, "
             "no metrics but the loss; the compiled train function that `fit` calls, "
             "all steps of a repeat in one call on both sides.",
        contenders={
            "ours": Contender("bdlzoo `MCDropout`", "zoo_steps", KERAS, "mc_dropout"),
            "keras": Contender("the same network, plain Keras", "zoo_steps", KERAS,
                               "plain_dropout"),
        },
        workloads={"mlp": Workload("MLP 784-400-400-10: a training step"),
                   "lenet": Workload("LeNet 20-50-500: a training step", share=0.25)},
        targets=(Target("mlp", "keras", 1.1), Target("lenet", "keras", 1.1)),
    ),
    "fit": Section(
        title="`fit`, beside a loop written by hand",
        note="Five epochs over random rows in memory in batches of 128, each in a new "
             "order, Adam, cross entropy, the accuracy as a metric. Ours is `fit` with "
             "its checks, callbacks and logs, as a user calls it on arrays; the other "
             "a `tf.function` for a step, called in a Python loop over a shuffled "
             "`tf.data` pipeline of the same arrays.",
        contenders={
            "ours": Contender("bdlzoo `Deterministic`, `fit`", "fit_epoch", KERAS),
            "loop": Contender("a loop by hand", "handwritten_loop", KERAS),
        },
        workloads={"small": Workload("MLP 784-50-10: a step of an epoch", share=10.0),
                   "mlp": Workload("MLP 784-400-400-10: a step of an epoch",
                                   share=5.0)},
        targets=(Target("small", "loop", 1.25), Target("mlp", "loop", 1.25)),
    ),
    "draws": Section(
        title="Draws, from 1 to 256",
        note="LeNet 20-50-500, 256 images. A step is a prediction: `sample_outputs` "
             "of ours, all draws at once, as a user calls it; a pass is the plain "
             "network in a `tf.function`, once, whatever the number of draws. Random "
             "are the last layer's inputs (dropout), the inputs of all layers behind "
             "the first (dropout), or all kernels (Flipout, coherent draws). baal "
             "keeps what its layers gave for the same inputs; torch-uncertainty "
             "and bayesian-torch run the network for each draw, torch-uncertainty "
             "also in one tall batch; `tfp.layers` calls a `tf.function` for each: all "
             "timed at 1 and 100 draws. "
             "Memory is what a process has had at most above its start, up to this "
             "number of draws, tracing included.",
        contenders={
            "head": Contender("bdlzoo, dropout before the last layer", "draws",
                              ("graph",), "head"),
            "every": Contender("bdlzoo, dropout after every layer", "draws",
                               ("graph",), "every"),
            "weights": Contender("bdlzoo, all weights", "draws", ("graph",),
                                 "weights"),
            "pass": Contender("one deterministic pass", "draws", ("graph",), "pass"),
            "baal_head": Contender("baal, before the last layer, cached", "baal",
                                   TORCH, "head"),
            "baal_every": Contender("baal, after every layer", "baal", TORCH, "every"),
            "tu_head": Contender("torch-uncertainty, before the last layer",
                                 "torch_uncertainty", ("loop", "batch"), "head"),
            "tu_every": Contender("torch-uncertainty, after every layer",
                                  "torch_uncertainty", ("loop", "batch"), "every"),
            "torch_weights": Contender("bayesian-torch, all weights", "bayesian_torch",
                                       TORCH),
            "tfp_weights": Contender("`tfp.layers`, all weights", "tfp_layers",
                                     KERAS),
        },
        workloads={f"draws{count}": Workload(
            f"{count} draws", share=0.5 if count < 16 else 0.05,
            only=() if count in (1, 100) else _OWN) for count in DRAWS},
        targets=(
            Target(other="pass", limit=1.6, ours="head", **_HUNDRED),
            Target(other="pass", limit=75.0, ours="every", **_HUNDRED),
            Target(other="pass", limit=120.0, ours="weights", **_HUNDRED),
            *(Target(other=other, limit=1.0, ours=ours, **_HUNDRED)
              for ours, other in (("head", "baal_head"), ("head", "tu_head"),
                                  ("every", "baal_every"), ("every", "tu_every"),
                                  ("weights", "torch_weights"),
                                  ("weights", "tfp_weights")))),
        growth=Growth("draws", {f"draws{count}": count for count in DRAWS},
                      ("head", "every", "weights"), _LINEAR, BUDGET),
    ),
    "members": _growth(
        "members", "Growth with members", "A training step of `DeepEnsemble` on MLP "
        "784-200-10, batches of 128 random rows in memory, Adam; and of `SGLD` with "
        "as many chains.",
        {**_grown("bdlzoo `DeepEnsemble`", "members"),
         **_grown("bdlzoo `SGLD`, chains", "chains")},
        (2, 4, 8, 16, 32), 0.5, _LINEAR),
    "width": _growth(
        "units", "Growth with width", "A training step of `MeanFieldVI` with Flipout "
        "on an MLP with two hidden layers of so many units, and of the plain network "
        "beside it. Arithmetic grows from linear to quadratic.",
        {**_grown("bdlzoo `MeanFieldVI`", "width"),
         **_grown("plain Keras", "plain_width")}, (100, 200, 400, 800, 1600), 0.25),
    "depth": _growth(
        "layers", "Growth with depth", "A training step of `MeanFieldVI` with Flipout "
        "on an MLP with so many hidden layers of 200 units, and of the plain network "
        "beside it.",
        {**_grown("bdlzoo `MeanFieldVI`", "depth"),
         **_grown("plain Keras", "plain_depth")}, (1, 2, 4, 8, 16), 0.5),
    "data": _growth(
        "rows", "Growth with data", "Rows of 784 numbers in memory; MLP 784-50-10 "
        "with dropout, batches of 128. A step is an epoch of `fit`, or a "
        "`predict_uncertainty` of all rows with 8 draws.",
        {**_grown("bdlzoo `MCDropout`, an epoch", "epoch"),
         **_grown("bdlzoo `MCDropout`, a prediction", "prediction")},
        (4096, 8192, 16384, 32768, 65536), 0.05, _LINEAR),
    "exports": Section(
        title="Exports of all methods: size and latency",
        note="A SavedModel, loaded by a session as TF Serving does it, asked by its "
             "signature serving_default: the time inside the server, without the "
             "network; MB are those of all its files. LeNet 20-50-500 on 28 x 28, or "
             "the networks of SDE-Net, SDE-HNN and DBSN; 32 draws, kept samples or "
             "generated networks an answer, 5 members. A step is a request. Methods "
             "share one process.",
        contenders=_methods("exported", ("graph",)),
        workloads={"one": Workload("One image a request"),
                   "many": Workload("32 images a request", share=0.25)},
        together=True,
    ),
}
