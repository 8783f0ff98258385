"""Films of episodes."""

import numpy as np
import pytest
from PIL import Image

from bdlzoo.reports.episode_film import Frame, _reach, episode_film


def _frame(shade, values=None):
    spread = None if values is None else np.array([0.1, 0.2])
    return Frame(np.full((8, 8, 3), shade, "uint8"), np.array([0.3, 0.7]), 1, 0.5, 0.61,
                 values, spread)


@pytest.mark.parametrize("values", [None, np.array([1.0, 2.0])])
def test_film_has_a_frame_for_each_step(tmp_path, values):
    path = episode_film([_frame(shade, values) for shade in (0, 128, 255)],
                        tmp_path / "film.gif", ("left", "right"), seconds=0.2)
    with Image.open(path) as film:
        assert film.n_frames == 3 and film.info["duration"] == 200
        assert film.size == (640 if values is None else 960, 340)
        first = np.asarray(film.convert("RGB"))
        film.seek(2)
        assert (np.asarray(film.convert("RGB")) != first).any()


def test_film_without_frames_is_refused(tmp_path):
    with pytest.raises(ValueError, match="at least one frame"):
        episode_film([], tmp_path / "film.gif")
    assert not list(tmp_path.iterdir())


def test_values_have_one_axis_in_all_frames():
    values = [np.array(each) for each in ([1.0, 2.0], [-3.0, 0.0])]
    low, high = _reach([_frame(0, each) for each in values])
    np.testing.assert_allclose([low, high], [-3.1 - 0.265, 2.2 + 0.265], atol=1e-4)
