"""Translation shifts by whole pixels where the table says so."""

import numpy as np
import pytest

from bdlzoo.corruptions import Translation


@pytest.mark.parametrize("severity", range(1, 6))
def test_image_is_shifted_to_one_of_four_corners(severity):
    images = np.random.default_rng(0).uniform(size=(80, 25, 50, 1))
    images = images.astype("float32")
    result = Translation(severity)(images).numpy()
    down, right = severity, 2 * severity  # 0.04 of 25 and of 50 pixels.
    padded = np.pad(images, ((0, 0), (down, down), (right, right), (0, 0)))
    seen = []
    for one, whole in zip(result, padded):
        moved = {(i, j): whole[down - i:down - i + 25, right - j:right - j + 50]
                 for i in (-down, down) for j in (-right, right)}
        seen += [place for place, image in moved.items()
                 if np.allclose(one, image, atol=1e-5)]
    assert len(seen) == 80 and len(set(seen)) == 4
