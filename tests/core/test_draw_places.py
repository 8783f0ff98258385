"""Places of draws that come in parts."""

from bdlzoo.core.draw_places import places


def test_places_follow_and_stop_at_the_last_draw():
    assert places(0, 3, 5).numpy().tolist() == [0, 1, 2]
    assert places(3, 3, 5).numpy().tolist() == [3, 4, 4]
