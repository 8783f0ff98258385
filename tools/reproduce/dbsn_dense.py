"""Cells of dense operations on digits and on two moons, and away from the data.

    digits  8 x 8 pixels; away: uniform noise in every pixel
    moons   200 rows with noise 0.3; away: a circle of radius 5 around them

The methods are those of `tools.reproduce.structure_baselines`, on one network, with the
same steps.

Reference: Deng et al., Measuring Uncertainty through Bayesian Learning of Deep
Neural Network Structure, 2019, for cells of images.
"""

import functools

import numpy as np

from bdlzoo import data
from bdlzoo.evaluation.outside_sets import outside_sets
from bdlzoo.networks import CellMLP
from tools.reproduce.structure_baselines import structure_baseline
from tools.reproduce.table import Row, Table

_MOONS = dict(num_train=200, num_test=2000, noise=0.3, validation=0)
_CENTRE, _RADIUS = (0.5, 0.25), 5.0
# Epochs, batches and the network of each set.
_SETTINGS = {
    "digits": (40, 32, dict(cells=2, num_nodes=5, growth=32, outputs=10)),
    "moons": (500, 50, dict(cells=2, num_nodes=4, growth=32, outputs=2))}

TABLE = Table(
    name="dbsn_dense",
    title="Structures of dense cells: digits, and two moons of 200 rows",
    subject="Learnt structures",
    metrics=("accuracy", "nll", "ece", "mi", "mi_away", "entropy_away"),
    rows=tuple(Row(f"{name}, {label}", "dbsn_dense",
                   changes=dict(name=name, method=method))
               for name in ("digits", "moons") for method, label in (
                   ("dbsn", "DBSN"), ("map", "one structure, learnt (MAP)"),
                   ("fixed", "fixed alpha"), ("prior", "structures of the prior"))),
    note="Our own table. One network for all lines: 2 cells of dense operations, 5 "
         "nodes of 32 units for digits and 4 for moons, 64 draws. Mutual information "
         "and entropy are in nats, means over test rows, or away from the data: over "
         "uniform noise, and over a circle of radius 5 around the moons. Fixed "
         "networks have one draw, hence no mutual information.",
    num_seeds=5,
    headline=(("digits, DBSN", "ece"), ("digits, fixed alpha", "ece")),
    figures=("learnt_structure.png",))


def run(seed=0, method="dbsn", name="digits", **options):
    """Trains one method and scores it, on the test rows and away from all data.

    Args:
        seed: Integer.
        method: See `structure_baseline`.
        name: `"digits"` or `"moons"`.
        **options: See `trained`.

    Returns:
        Dict of floats: `accuracy`, `nll`, `ece`, and, in nats, the mean mutual
        information and entropy at the test rows and away, `mi`, `mi_away`,
        `entropy`, `entropy_away`.
    """
    model, test = trained(seed, method, name, **options)
    found = model.evaluate(*test, batch_size=500, verbose=0, return_dict=True)
    scores = {key: found[key] for key in ("accuracy", "nll", "ece")}
    for suffix, rows in (("", test.x), ("_away", away(name, test.x, seed))):
        prediction = model.predict_uncertainty(rows)
        scores[f"mi{suffix}"] = np.mean(prediction.mutual_information)
        scores[f"entropy{suffix}"] = np.mean(prediction.predictive_entropy)
    return {key: float(value) for key, value in scores.items()}


def trained(seed=0, method="dbsn", name="digits", epochs=None, num_samples=64,
            verbose=0, **options):
    """The trained model, and the test rows.

    Args:
        seed: See `run`.
        method: See `run`.
        name: See `run`.
        epochs: Integer; `None` is what the set needs.
        num_samples: Integer, draws at prediction.
        verbose: As in `fit`.
        **options: See `structure_baseline`.

    Returns:
        `DBSN` and `Split`.
    """
    if name not in _SETTINGS:
        raise ValueError(f"Expected one of {tuple(_SETTINGS)}. Received: name={name!r}")
    usual, batch_size, sizes = _SETTINGS[name]
    epochs = epochs or usual
    train, test = (data.load(name, split, seed=seed, **(
        _MOONS if name == "moons" else {})) for split in ("train", "test"))
    model = structure_baseline(
        method, functools.partial(CellMLP, train.x.shape[1:], **sizes), len(train.x),
        epochs, batch_size, seed, num_samples=num_samples, **options)
    model.fit(*train, batch_size=batch_size, epochs=epochs, verbose=verbose)
    return model, test


def away(name, x, seed=0):
    """Inputs `[N, ...]` where there are no data."""
    if name == "digits":
        return outside_sets(["uniform"], x, seed=seed)["uniform"]
    angles = np.linspace(0.0, 2 * np.pi, 200, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return (np.array(_CENTRE) + _RADIUS * circle).astype("float32")
