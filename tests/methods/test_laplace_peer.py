"""Laplace beside laplace-torch, on the same weights and rows.

    pip install laplace-torch
    python -m pytest tests/methods/test_laplace_peer.py

Their Kronecker factors leave out the curvature between a kernel and its bias, which
ours have. So these are compared for layers without biases.
"""

import keras
import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.methods import Laplace

REASON = "laplace-torch is not installed"
CASES = [("last", "full", True), ("last", "diagonal", True), ("all", "diagonal", True),
         ("last", "kronecker", False), ("all", "kronecker", False)]
PRECISION = 2.0


@pytest.fixture(scope="module")
def rows():
    x, y = data.load("digits")
    return x[:400].reshape(400, 64), y[:400]


def _network(use_bias):
    def dense(units, activation=None):
        return keras.layers.Dense(units, activation, use_bias=use_bias,
                                  bias_initializer=keras.initializers.RandomNormal(0.3))

    return keras.Sequential([keras.Input((64,)), dense(32, "tanh"), dense(16, "tanh"),
                             dense(10)])


def _theirs(network, select, structure, rows, form):
    """Evidence and probabilities of laplace-torch, in float64."""
    import laplace
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    layers = []
    for layer in network.layers:
        kernel = layer.kernel.numpy()
        linear = torch.nn.Linear(*kernel.shape, bias=layer.use_bias)
        linear.weight.data = torch.tensor(kernel.T.copy())
        if layer.use_bias:
            linear.bias.data = torch.tensor(layer.bias.numpy())
        layers += [linear, torch.nn.Tanh()]
    x = torch.tensor(rows[0]).double()
    model = laplace.Laplace(
        torch.nn.Sequential(*layers[:-1]).double(), "classification",
        {"last": "last_layer", "all": "all"}[select],
        {"full": "full", "diagonal": "diag", "kronecker": "kron"}[structure],
        prior_precision=PRECISION, backend=laplace.curvature.CurvlinopsGGN)
    model.fit(DataLoader(TensorDataset(x, torch.tensor(rows[1]).long()), 400))
    return (model.log_marginal_likelihood().item(),
            model(x[:50], link_approx=form).detach().numpy())


@pytest.mark.parametrize("select, structure, use_bias", CASES)
def test_figures_are_those_of_laplace_torch(rows, select, structure, use_bias):
    pytest.importorskip("laplace", reason=REASON)
    network = _network(use_bias)
    for form in ("probit", "bridge"):
        evidence, probs = _theirs(network, select, structure, rows, form)
        model = Laplace(network, select=select, structure=structure, predictive=form,
                        prior_scale=PRECISION**-0.5, allow_untrained=True)
        model.fit(*rows, verbose=0)
        np.testing.assert_allclose(model.log_marginal_likelihood(), evidence, rtol=1e-5)
        np.testing.assert_allclose(model.predict(rows[0][:50], verbose=0), probs,
                                   atol=1e-4)
