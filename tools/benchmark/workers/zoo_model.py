"""Models of all methods of the zoo, by the name of the method.

Options are those of `configs/digits/METHOD.py`, reduced where the networks of the
benchmarks are larger. The network is that of the workload, with the dropout and the
random layers of the config.
"""

from bdlzoo import runs
from tools.benchmark.workers import training

NETWORKS = {"mlp": "MLP", "lenet": "LeNet", "resnet20": "ResNet20"}
_COMMON = ("MLP", "SmallCNN")  # Networks that any other can replace.
_SMALLER = {
    "adversarial_posterior_distillation": dict(width=10, gan_batch=10, num_chains=1),
    # No network is trained here, and attacks are not timed.
    "bayes_adapter": dict(allow_untrained=True, uncertain=()),
    # Some networks take no images.
    **dict.fromkeys(("mean_teacher", "pi_model", "temporal_ensembling"), dict(
        augmentation=None, labelled_batch=None)),
}
_BOX = dict(low=-10.0, high=10.0)  # Around all random rows, for attacks.
_SAMPLES = dict(burn_in=0, num_kept=32, num_samples=32)


def config(method, workload, own_network=False, **options):
    """The config of a method on the network of a workload.

    Args:
        method: Name of a file of `bdlzoo/methods`.
        workload: One of `NETWORKS`.
        own_network: Bool, whether a method with a network of its own keeps it; in
            place of an MLP it always does.
        **options: Options of the method.
    """
    found = runs.read_config(f"digits/{method}.py")
    with found.unlocked(), found.ignore_type():
        found.method.update(**{name: value for name, value in _SAMPLES.items()
                               if name in found.method})
        for name, value in _SMALLER.get(method, {}).items():
            found.method[name] = value  # `update` would merge None into a section.
        if "epsilon" in found.method:
            found.method.update(**_BOX)
        found.method.update(**{name: value for name, value in options.items()
                               if name in found.method})
        if found.network.type in _COMMON or not (own_network or workload == "mlp"):
            found.network = _network(workload, found.network)
        elif found.network.type == "SDEMLP":
            found.network.update(hidden=(400,), state=400)
    return found


def _network(workload, found):
    """The network of a workload, with the random parts of that of a config."""
    kept = {name: found[name] for name in ("dropout", "layer", "conv")
            if name in found}
    if workload == "mlp":
        kept.pop("conv", None)
    elif "layer" in kept and "conv" not in kept:
        kind = kept["layer"].type.replace("Dense", "Conv2D")
        kept["conv"] = {**kept["layer"], "type": kind}
    return dict(type=NETWORKS[workload], **kept)


def make(method, workload, **options):
    """A built and compiled model.

    Args:
        method: See `config`.
        workload: See `config`.
        **options: See `runs.load_model`.
    """
    return runs.load_model(config(method, workload), training.SHAPES[workload],
                          metrics=[], **options)
