"""Storage of a posterior of MNIST, and the accuracy that it keeps.

    samples      S D numbers
    mixture      2 K D
    generator    (h + 1) D, and the weights of its hidden layers

A generator of width h takes as much as h + 1 samples, however many samples it was
trained on: how much it saves depends on their number, which is always given. The mean
and scale of each weight, for standardising, are 2 D more.

Reference: Wang et al., Adversarial Distillation of Bayesian Neural Network
Posteriors, ICML 2018.
"""

import math

from bdlzoo import data
from bdlzoo.methods import SGLD
from tools.reproduce.mnist_posteriors import trained
from tools.reproduce.table import Row, Table
from tools.reproduce.weight_mixture import WeightMixture

KINDS = ("samples", "mixture", "generator")

TABLE = Table(
    name="posterior_storage",
    title="Storage of a posterior on MNIST, fcNN1, against its accuracy",
    subject="Posteriors of weights",
    metrics=("accuracy", "nll", "parameters", "megabytes", "samples"),
    rows=(*(Row(f"{size} samples", "posterior_storage",
                changes=dict(kind="samples", size=size))
            for size in (10, 20, 50, 100, 200)),
          *(Row(f"mixture of {size}", "posterior_storage",
                changes=dict(kind="mixture", size=size)) for size in (1, 10, 60)),
          Row("generator, 20 units", "posterior_storage",
              changes=dict(kind="generator", size=20))),
    note="Our own table; the paper's mixture of 60 Gaussians has 9.54 million numbers "
         "and 99.3 % of the accuracy of SGLD, its generator of 20 units 1.67 million "
         "and 99.8 %. Samples: those of the chain that a line was made from. A "
         "generator has mean and scale of each weight beside it, 159,020 numbers.",
    num_seeds=1,
    headline=(("mixture of 60", "accuracy"), ("generator, 20 units", "accuracy")),
    incomparable="the published shares are of chains ten times as long")


def run(seed=0, kind="samples", size=100, num_samples=100, name="mnist", **options):
    """Accuracy and storage of one way to keep the posterior of MNIST.

    Args:
        seed: Integer.
        kind: One of `KINDS`.
        size: Integer: samples, components, or width.
        num_samples: Integer, networks that predict, at most.
        name: Name of the set of images.
        **options: See `mnist_posteriors.trained`.

    Returns:
        Dict of floats: `accuracy`, `nll`, `parameters`, `megabytes`, and
        `samples`, how many samples of the chain it was made from.
    """
    if kind not in KINDS:
        raise ValueError(f"Expected one of {KINDS}. Received: kind={kind!r}")
    sampler = trained(seed, "sgld", name=name, num_samples=num_samples, **options)
    kept = sampler.kept_samples()[:, 0]
    if kind == "generator":
        model = trained(seed, "apd", name=name, num_samples=num_samples, width=size,
                        **options)
        parameters = sum(math.prod(v.shape) for part in model.gan.served_parts()
                         for v in getattr(part, "weights", [part]))
    elif kind == "mixture":
        mixture = WeightMixture(kept, size, seed)
        model = holder(sampler, mixture.generate(num_samples, seed))
        parameters = mixture.num_parameters()
    else:
        model = holder(sampler, kept, min(size, len(kept)))
        parameters = min(size, len(kept)) * kept.shape[1]
    test = data.load(name, "test", seed=seed, validation=0)
    found = model.evaluate(*test, batch_size=500, verbose=0, return_dict=True)
    return {"accuracy": found["accuracy"], "nll": found["nll"],
            "parameters": float(parameters), "megabytes": parameters * 4 / 1e6,
            "samples": float(size if kind == "samples" else len(kept))}


def holder(sampler, vectors, count=None):
    """A model that predicts by given vectors of weights, evenly chosen."""
    plain = sampler.network.plain
    model = SGLD(type(plain).from_config(plain.get_config()), sampler.likelihood,
                 num_kept=count or len(vectors), seed=sampler.seed)
    model.compile()
    model.build(sampler.get_build_config()["input_shape"])
    model.set_samples(vectors[:, None])
    return model
