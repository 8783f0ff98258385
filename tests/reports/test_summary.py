"""Which plots come with which data."""

import numpy as np
import pytest

from bdlzoo.data import Split
from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP
from bdlzoo.reports.summary import summary

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shape, outputs, likelihood, names", [
    ((4, 4, 1), 3, "categorical", {"reliability", "uncertainty", "ranked"}),
    ((5,), 3, "categorical", {"reliability", "uncertainty"}),
    ((1,), 2, "heteroscedastic_gaussian", {"band"}),
    ((5,), 2, "heteroscedastic_gaussian", set())])
def test_plots_fit_the_data(shape, outputs, likelihood, names):
    model = MCDropout(MLP(shape, (8,), outputs, dropout=0.2), likelihood, seed=0)
    x = RNG.uniform(size=(30, *shape)).astype("float32")
    y = RNG.integers(0, 3, 30) if likelihood == "categorical" else x[..., 0]
    split = Split(x, y.astype("int32" if outputs == 3 else "float32"))
    scores = {"test set": np.ones(30), "noise": np.ones(30)}
    assert set(summary(model, split, split, scores)) == names
