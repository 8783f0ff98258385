"""The figure of perturbations shows draws, labels and their spread."""

import io

import numpy as np

from bdlzoo.reports import perturbation_samples

RNG = np.random.default_rng(0)
IMAGE = RNG.uniform(size=(4, 4, 1))
DRAWS = {"learnt": RNG.uniform(size=(9, 4, 4, 1)),
         "restarts": np.stack([IMAGE] * 9)}


def test_each_adversary_has_a_row_of_draws_and_its_spread():
    figure = perturbation_samples(
        IMAGE, DRAWS, {kind: np.arange(9) for kind in DRAWS},
        {"learnt": 2.0, "restarts": 0.0}, count=3)
    figure.savefig(io.BytesIO(), format="png", dpi=40)
    assert len(figure.axes) == 2 * 5
    titles = [axes.get_title() for axes in figure.axes[:5]]
    assert titles == ["image", "seen as 0", "seen as 1", "seen as 2", "spread"]
    np.testing.assert_allclose(figure.axes[2].images[0].get_array(),
                               DRAWS["learnt"][1, ..., 0])
    spreads = [figure.axes[place].images[0].get_array() for place in (4, 9)]
    np.testing.assert_allclose(spreads[0], DRAWS["learnt"].std(axis=0)[..., 0])
    np.testing.assert_allclose(spreads[1], 0.0, atol=1e-12)
    assert "distance 2.0" in figure.axes[0].get_ylabel()
