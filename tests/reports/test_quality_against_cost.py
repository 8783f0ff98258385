"""Plot of loss against cost: points where the figures are."""

import numpy as np
import pytest

from bdlzoo.reports import quality_against_cost

MODELS = {"small": {"loss": 0.3, "error": 0.02, "answer_ms": 1.0, "seconds": 5.0},
          "large": {"loss": 0.2, "error": 0.01, "answer_ms": 8.0, "seconds": 50.0}}


def test_points_stand_at_loss_and_time():
    axes = quality_against_cost(MODELS, take="large").axes[0]
    bars, points = axes.collections[0::2], axes.collections[1::2]
    np.testing.assert_allclose([p.get_offsets()[0] for p in points],
                               [[1.0, 0.3], [8.0, 0.2]])
    ends = [bar.get_segments()[0][:, 1] for bar in bars]
    np.testing.assert_allclose(ends, [[0.26, 0.34], [0.18, 0.22]])
    assert points[1].get_sizes()[0] > points[0].get_sizes()[0]
    assert [text.get_fontweight() for text in axes.texts] == ["normal", "bold"]
    assert axes.get_xscale() == "log"


def test_no_models_are_refused():
    with pytest.raises(ValueError, match="at least one"):
        quality_against_cost({})
