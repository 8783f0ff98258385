"""One draw, known to an attacker, is one network whatever the key."""

import numpy as np

from bdlzoo.attacks import PGD, FirstDraw
from bdlzoo.core import noise
from tests.attacks.stand_in import Draws

X = np.random.default_rng(0).uniform(size=(6, 5)).astype("float32")
Y = np.array([0, 1, 2, 0, 1, 2])


def test_it_is_the_first_draw_of_a_prediction():
    model = Draws(3)
    known = FirstDraw(model)
    expected = X @ model.weights(1, noise.key(3, noise.PREDICT))[0].numpy()
    for key in (None, noise.key(7)):
        np.testing.assert_allclose(known.draw(X, 5, key), expected[None], rtol=1e-5)
    np.testing.assert_array_equal(known.labels(X), np.argmax(expected, -1))


def test_steps_of_an_attack_do_not_redraw_it():
    """Where the posterior itself is attacked, seeds change the result."""
    known, attack = FirstDraw(Draws(3)), PGD(0.3, 0.1, 4, random_start=False)
    first = attack(known, X, Y, seed=0)
    np.testing.assert_array_equal(first, attack(known, X, Y, seed=1))
    redrawn = attack(known.model, X, Y, seed=0)
    assert abs(redrawn - attack(known.model, X, Y, seed=1)).numpy().max() > 0.1
