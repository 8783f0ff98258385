"""Samples of a chain, projected: the best that a narrow generator could learn.

    w = center + scale * (the first h principal components of (w - center) / scale)

The last layer of a generator with h units is linear, so that all it generates lies in
h directions. Here the samples keep the h directions in which they vary most, after
standardising, and are scored as in `generator_modes`. Where a generator scores worse,
its training is the cause, and not its width.
"""

import numpy as np

from bdlzoo import data
from bdlzoo.evaluation.outside_sets import outside_sets
from tools.reproduce import generator_modes
from tools.reproduce.mnist_posteriors import generated_accuracy, trained
from tools.reproduce.posterior_storage import holder
from tools.reproduce.table import Row, Table

TABLE = Table(
    name="projected_samples",
    title="Samples of a chain in a few directions",
    subject="Posteriors of weights",
    metrics=("generated", "bald", "spread"),
    rows=tuple(Row(f"{count} directions", "projected_samples",
                   changes=dict(directions=count))
               for count in (5, 20, 100, 979)),
    note="Our own table. What a generator with 20 units makes lies in 20 directions. "
         "These are the scores of [generator_modes](generator_modes.md) for the "
         "samples themselves, moved into the directions in which they vary most; 979 "
         "hold all of them. Width does not limit those generators: 20 directions have "
         "all but a few per cent of the spread, and all of the AUROC. What is missing "
         "is what the GAN does not learn, and more steps do not add it.",
    num_seeds=1,
    headline=(("20 directions", "spread"),))


def run(seed=0, directions=20, count=20, rows=2000, name="mnist", outside="kmnist",
        **options):
    """Scores of the samples in so many directions.

    Args:
        seed: Integer.
        directions: Integer, h.
        count: Integer, networks that are scored.
        rows: Integer, test images.
        name: Name of the set of images.
        outside: Name of another set.
        **options: See `mnist_posteriors.trained`.

    Returns:
        Dict of floats, `generated`, `bald` and `spread`: see `generator_modes`.
    """
    test = data.load(name, "test", seed=seed, validation=0)
    test = test.x[:rows], test.y[:rows]
    strange = outside_sets([outside], test[0], seed=seed)[outside]
    sampler = trained(seed, "sgld", name=name, **options)
    samples = sampler.kept_samples()[:, 0]
    projected = project(samples, directions)
    model = holder(sampler, projected)
    return {"generated": generated_accuracy(model, test, count),
            "bald": generator_modes.bald(model, test[0], strange, count),
            "spread": generator_modes.spread(projected)
            / generator_modes.spread(samples)}


def project(samples, directions):
    """Samples `[n, D]` in the directions in which they vary most.

    Args:
        samples: Array, fewer rows than columns.
        directions: Integer, how many.
    """
    center, scale = samples.mean(0), samples.std(0)
    rows = (samples - center) / np.where(scale > 0, scale, 1.0)
    # Of the products of rows: there are fewer of these than of columns.
    _, vectors = np.linalg.eigh(rows @ rows.T)
    kept = vectors[:, -directions:]
    return (center + scale * (kept @ (kept.T @ rows))).astype("float32")
