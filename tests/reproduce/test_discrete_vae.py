"""The experiment with discrete VAEs, on a few digits."""

import numpy as np
import pytest

from bdlzoo.estimators import DirectOptimization, Exact, GumbelSoftmax
from bdlzoo.methods import StructuredVAE
from tests.data import small_copies
from tools.reproduce import discrete_vae


def test_methods_differ_in_their_estimator_alone():
    kinds = {"direct": DirectOptimization, "exact": Exact,
             "gumbel_softmax": GumbelSoftmax}
    for method, kind in kinds.items():
        model = discrete_vae.build(method, (8, 8, 1), 1, 10, 8, 0)
        assert isinstance(model.estimator, kind) and model.jit_compile
    epsilon = discrete_vae.build("direct", (8, 8, 1), 1, 10, 8, 0).estimator.epsilon
    np.testing.assert_allclose([epsilon(499), epsilon(500), epsilon(10**6)],
                               [1.0, np.exp(-0.005), 0.1], rtol=1e-5)
    structured = discrete_vae.build("structured", (8, 8, 1), 4, 2, 8, 0)
    assert isinstance(structured, StructuredVAE)
    with pytest.raises(ValueError, match="Received: method='other'"):
        discrete_vae.build("other", (8, 8, 1), 1, 10, 8, 0)


def test_scores_are_a_bound_and_its_parts():
    found = discrete_vae.run(name="digits", units=8, epochs=1, limit=200)
    np.testing.assert_allclose(found["loss"], found["nll"] + found["kl"], rtol=1e-5)
    assert 1 <= found["codes"] <= 10
    assert found["loss"] < 64 * np.log(2.0) * 1.2


@pytest.mark.slow
def test_other_sets_work_by_their_name(tmp_path, monkeypatch):
    """Omniglot has colour images of 105 x 105 pixels, and 1,623 classes."""
    small_copies.write("omniglot", tmp_path, 30)
    monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path))
    found = discrete_vae.run(name="omniglot", units=4, epochs=1)
    np.testing.assert_allclose(found["loss"], found["nll"] + found["kl"], rtol=1e-5)
    # Pixels of a copy are noise: no density is better than a fair coin for each.
    np.testing.assert_allclose(found["nll"], 105 * 105 * 3 * np.log(2.0), rtol=0.05)
