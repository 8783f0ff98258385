"""Maps of the loss: one for each model, on one scale, the right way round."""

import numpy as np

from bdlzoo.reports import loss_surface

PLACES = np.linspace(-0.2, 0.2, 5)
STEEP = np.add.outer(np.arange(5.0), np.zeros(5))  # Rises along the first direction.


def test_maps_share_a_scale_and_have_names():
    figure = loss_surface(PLACES, {"plain": STEEP, "robust": 0.1 * STEEP})
    figure.draw_without_rendering()
    plain, robust, bar = figure.axes
    assert [axes.get_title() for axes in (plain, robust)] == ["plain", "robust"]
    assert plain.get_xlabel() == "Along the gradient"
    assert (plain.get_ylabel(), robust.get_ylabel()) == ("At random", "")
    assert bar.get_ylabel() == "Loss [nats]"
    limits = [axes.collections[0].get_clim() for axes in (plain, robust)]
    assert limits[0] == limits[1]
    np.testing.assert_allclose(limits[0], [0.0, 4.0], atol=0.2)


def test_the_first_direction_runs_from_left_to_right():
    """Lines of equal loss then stand upright."""
    figure = loss_surface(PLACES, {"plain": STEEP})
    lines = figure.axes[0].collections[1]
    for path in lines.get_paths():
        if len(path.vertices):
            pieces = path.to_polygons(closed_only=False)
            assert all(np.ptp(piece[:, 0]) < 1e-9 for piece in pieces)
            assert max(np.ptp(piece[:, 1]) for piece in pieces) > 0.3


def test_a_flat_surface_is_drawn():
    loss_surface(PLACES, {"flat": np.ones((5, 5))}).draw_without_rendering()
