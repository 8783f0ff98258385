"""Contenders and sections with every method of the zoo that predicts labels.

The methods are those of the folder `bdlzoo/methods`: a new file there is timed.
"""

import pathlib
import re

from tools.benchmark.modes import KERAS
from tools.benchmark.section import Contender, Section, Workload

_METHODS = pathlib.Path(__file__).parents[2] / "bdlzoo" / "methods"
_WITHOUT_LABELS = re.compile(
    r"^class [A-Z]\w*\(((Stochastic|Latent|Discrete|Mixture|Policy|Q)Model|PairGame)"
    r"\)", re.M)
_OPTIONS = {"adversarial_posterior_distillation": ", generator of width 10",
            "alpha_divergence_dropout": ", 10 draws",
            "bayes_adapter": ", exemplar", "confid_net": ", the classifier",
            "dbsn": ", cells", "deep_ensemble": ", 5 members",
            "degp": ", 5 members", "mean_field_vi": ", Flipout",
            "pac_bayes": ", exemplar", "sde_hnn": ", 2 draws"}


def names():
    """Names of the files of all methods that predict labels."""
    return sorted(path.stem for path in _METHODS.glob("[!_]*.py")
                  # Others have no network of classes to be timed on.
                  if not _WITHOUT_LABELS.search(path.read_text()))


def contenders(worker, modes):
    """A contender for each method.

    Args:
        worker: String, the module below `tools/benchmark/workers`.
        modes: Tuple of strings.

    Returns:
        Dictionary, name of the file of the method to `Contender`.
    """
    return {name: Contender(f"`{_class_of(name)}`{_OPTIONS.get(name, '')}", worker,
                            modes, name) for name in names()}


def training_steps(title, workload, rows, share):
    """A section with the training steps of all methods on one network.

    Args:
        title: String, the network in words.
        workload: String, name of the network in `workers/zoo_model.py`.
        rows: Integer, rows of a batch.
        share: Float, see `Workload`.
    """
    plain = Contender("plain Keras, Adam", "zoo_steps", KERAS, "plain", role="plain")
    return Section(
        title=f"Training steps of all methods: {title}",
        note=f"Random rows in memory, the same for all members and chains, {rows} a "
             "batch, cross entropy, no metrics but the loss. Timed is the compiled "
             "train function that `fit` calls, with all steps of a round in one call. "
             "Options and optimisers are those of `configs/digits`, on this network. "
             "SDE-Net, SDE-HNN and DBSN have networks of their own in place of the "
             "MLP. All methods share one process. A method that cannot take the "
             "network says why.",
        contenders={"plain": plain, **contenders("zoo_steps", KERAS)},
        workloads={workload: Workload(title, share)}, together=True, limits=True)


def _class_of(name):
    """The public class of the file of a method."""
    text = (_METHODS / f"{name}.py").read_text()
    [found] = re.findall(r"^class ([A-Z]\w*)\(", text, re.M)
    return found
