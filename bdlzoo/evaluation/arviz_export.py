"""Export of chains to ArviZ, for its plots and tables.

    posterior       `prediction`, what each kept sample predicts
    log_likelihood  `y`, log-probability of each target under each kept sample
    observed_data   `y`, the targets

The dimensions are `chain`, `draw`, `row`, and `output` for numbers. ArviZ is an extra:
`pip install bdlzoo[arviz]`.
"""

import importlib

import numpy as np

from bdlzoo.evaluation.chain_diagnostics import log_likelihoods, predictions

_DIMENSIONS = ["row", "output"]


def to_arviz(model, x, y=None, batch_size=100):
    """Turns the predictions of a sampler into data of ArviZ.

    Args:
        model: `ChainModel` with samples.
        x: Inputs `[B, ...]`.
        y: Targets of them; `None` leaves the groups of targets out.
        batch_size: Integer, inputs in one computation.

    Returns:
        `arviz.InferenceData`.

    Example:

        data = bdlzoo.evaluation.to_arviz(sampler, x_val, y_val)
        arviz.summary(data), arviz.plot_trace(data), arviz.loo(data)
    """
    arviz = _arviz()

    def dataset(group, arrays):
        default = [] if group == "observed_data" else ["chain", "draw"]
        dims = {name: _DIMENSIONS[:values.ndim - len(default)]
                for name, values in arrays.items()}
        return arviz.dict_to_dataset(arrays, dims=dims, default_dims=default)

    return arviz.InferenceData(**{
        group: dataset(group, arrays)
        for group, arrays in groups(model, x, y, batch_size).items()})


def groups(model, x, y=None, batch_size=100):
    """Arrays of the groups above, by group and name; chains come first.

    Args:
        model: `ChainModel` with samples.
        x: Inputs `[B, ...]`.
        y: Targets of them; `None` leaves the groups of targets out.
        batch_size: Integer, inputs in one computation.
    """
    found = {"posterior": {"prediction": _chains_first(
        predictions(model, x, batch_size))}}
    if y is not None:
        found["log_likelihood"] = {"y": _chains_first(
            log_likelihoods(model, x, y, batch_size))}
        found["observed_data"] = {"y": np.asarray(y)}
    return found


def _chains_first(values):
    return np.swapaxes(values, 0, 1)


def _arviz():
    try:
        return importlib.import_module("arviz")
    except ImportError as error:
        raise ImportError(
            "Expected ArviZ to be installed: run `pip install bdlzoo[arviz]`. "
            f"Received: {error}") from error
