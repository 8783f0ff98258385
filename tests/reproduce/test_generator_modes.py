"""Curves of generated networks, on the digits."""

import pytest

from tools.reproduce import generator_modes


@pytest.mark.slow
def test_a_curve_has_a_point_for_each_part_of_the_steps():
    found = generator_modes.run(
        0, "gan", name="digits", gan_steps=40, every=20, width=8, count=3, rows=50,
        hidden=(16,), steps=840, jit_compile=False, num_samples=5, num_kept=15,
        outside="uniform")
    assert set(found) == {"sampled", "bald_sampled", *(
        f"{score}_{step}" for score in ("generated", "bald", "spread")
        for step in (20, 40))}
    assert found["sampled"] > 0.7 and found["bald_sampled"] > 0.9
    # It starts from the mean of the samples and noise about it.
    assert 0.05 < found["generated_20"] < found["sampled"]
    assert found["generated_40"] == pytest.approx(found["generated_20"], abs=0.5)
    assert 0.2 < found["spread_20"] < 5 and found["bald_20"] != found["bald_sampled"]


def test_spread_is_that_of_each_weight():
    assert generator_modes.spread([[0.0, 5.0], [2.0, 5.0]]) == pytest.approx(0.5**0.5)
