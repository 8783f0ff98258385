"""The flow against equations with known solutions, and its noise."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.layers import SDEFlow
from bdlzoo.surgery import conversion

KEY = noise.key(0, noise.PREDICT)
WIDTH = 2


def _linear(units=WIDTH, slope=0.0, level=0.0):
    """slope * h + level, whatever the time."""
    return keras.layers.Dense(
        units, kernel_initializer=keras.initializers.Identity(slope),
        bias_initializer=keras.initializers.Constant(level))


def _network(drift=None, diffusion=None, **kwargs):
    flow = SDEFlow(drift or _linear(), diffusion or _linear(), **kwargs)
    network = keras.Sequential([keras.Input((WIDTH,)), flow])
    conversion.adopt(network)
    return network, flow


def _draw(network, x, **kwargs):
    with noise.draws(KEY, **kwargs):
        return network(x, training=False).numpy()


def _shocks(flow, rows, **kwargs):
    """The normals that a draw of these rows uses, `[T, rows, D]`."""
    draw = noise.Draw(KEY, **{"coherent": False, **kwargs})
    shocks = flow.shocks(draw, rows, WIDTH).numpy()
    steps, paths, _, width = shocks.shape
    shape = (steps, paths, rows // paths, width)
    return np.broadcast_to(shocks, shape).reshape(steps, rows, width)


X = np.random.default_rng(0).normal(size=(6, WIDTH)).astype("float32")


def test_without_diffusion_it_is_a_residual_network_that_knows_the_time():
    drift = keras.layers.Dense(WIDTH, activation="relu")
    network, _ = _network(drift, _linear(level=3.0), num_steps=3, total_time=1.5,
                          diffusion_scale=0.0)
    kernel, bias = drift.get_weights()
    state = X
    for time in (0.0, 0.5, 1.0):
        features = np.concatenate([state, np.full((6, 1), time)], axis=1)
        state = state + 0.5 * np.maximum(features @ kernel + bias, 0.0)
    np.testing.assert_allclose(_draw(network, X), state, rtol=1e-5)
    paths = _draw(network, np.tile(X, (3, 1)), coherent=True, count=3)
    np.testing.assert_array_equal(paths[:6], paths[12:])


@pytest.mark.parametrize("training", [False, True])
def test_outside_of_a_draw_there_is_no_noise(training):
    network, _ = _network(diffusion=_linear(level=3.0))
    np.testing.assert_array_equal(network(X, training=training), X)


@pytest.mark.parametrize("steps", [1, 4, 9])
@pytest.mark.parametrize("antithetic", [False, True])
def test_brownian_motion_has_the_variance_of_its_time(steps, antithetic):
    """f = 0, g = c: h_T ~ N(h_0, c**2 * total_time), whatever the steps."""
    network, _ = _network(diffusion=_linear(level=0.5), diffusion_scale=0.6,
                          num_steps=steps, total_time=4.0, antithetic=antithetic)
    moved = _draw(network, np.ones((20_000, WIDTH)), count=2) - 1.0
    variance = 0.3**2 * 4.0
    assert abs(moved.mean()) < 4 * np.sqrt(variance / 40_000)
    np.testing.assert_allclose(moved.var(axis=0), variance, rtol=0.05)


@pytest.mark.parametrize("steps", [20, 60])
def test_ornstein_uhlenbeck_reaches_the_variance_of_the_scheme(steps):
    """f = -a h, g = c: c**2 / (2 a - a**2 dt), hence c**2 / (2 a) as dt -> 0."""
    network, _ = _network(_linear(slope=-1.0), _linear(level=1.0),
                          num_steps=steps, total_time=6.0)
    ends = _draw(network, np.ones((20_000, WIDTH)))
    np.testing.assert_allclose(ends.var(), 1.0 / (2.0 - 6.0 / steps), rtol=0.03)
    assert abs(ends.mean()) < 0.02


def test_strong_order_is_one_half():
    """dX = X dW has X_T = exp(W_T - T / 2); half the step, error by sqrt 2."""
    rows, errors = 4000, []
    fine = _shocks(_network(num_steps=64)[1], rows)
    exact = np.exp(fine.sum(axis=0) / 8.0 - 0.5)
    for steps in (64, 32, 16):
        network, flow = _network(diffusion=_linear(slope=1.0), num_steps=steps,
                                 total_time=1.0)
        # One Brownian path on all grids: increments of a coarse step add up.
        coarse = fine.reshape(steps, 64 // steps, rows, WIDTH).sum(axis=1)
        coarse = coarse * np.sqrt(steps / 64)
        flow.shocks = lambda *_, z=coarse: tf.constant(z[:, None], tf.float32)
        ends = _draw(network, np.ones((rows, WIDTH)))
        errors.append(np.sqrt(np.mean((ends - exact)**2)))
    ratios = np.array(errors[1:]) / errors[:-1]
    assert (np.abs(ratios - np.sqrt(2.0)) < 0.15).all(), ratios


@pytest.mark.parametrize("hold", [False, True])
def test_diffusion_is_evaluated_at_every_step_unless_it_is_held(hold):
    """g = h: a product over the steps, or a sum where h_0 is held."""
    network, flow = _network(diffusion=_linear(slope=1.0), num_steps=4,
                             total_time=1.0, hold_diffusion=hold)
    moves = 0.5 * _shocks(flow, 6)
    growth = 1.0 + moves.sum(axis=0) if hold else np.prod(1.0 + moves, axis=0)
    np.testing.assert_allclose(_draw(network, X), X * growth, rtol=1e-4, atol=1e-6)


def test_one_diffusion_serves_all_units():
    wide, _ = _network(diffusion=_linear(level=0.7))
    narrow, _ = _network(diffusion=_linear(units=1, level=0.7))
    x = np.tile(X, (2, 1))
    for scope in ({"count": 2}, {"count": 2, "coherent": True}):
        np.testing.assert_allclose(_draw(narrow, x, **scope),
                                   _draw(wide, x, **scope), rtol=1e-6)


def test_noise_differs_between_rows_steps_units_and_paths():
    _, flow = _network(num_steps=4)
    shocks = _shocks(flow, 6000, count=3)
    for one, other in ((shocks[0], shocks[1]), (shocks[:, :, 0], shocks[:, :, 1]),
                       (shocks[:, ::2], shocks[:, 1::2]),
                       (shocks[:, :2000], shocks[:, 2000:4000])):
        correlation = np.corrcoef(one.ravel(), other.ravel())[0, 1]
        assert abs(correlation) < 4.0 / np.sqrt(one.size)


def test_coherent_path_is_one_for_all_rows_and_differs_between_paths():
    network, _ = _network(diffusion=_linear(level=1.0))
    x = np.tile(X, (3, 1))
    moved = (_draw(network, x, coherent=True, count=3) - x).reshape(3, 6, WIDTH)
    np.testing.assert_allclose(moved, np.repeat(moved[:, :1], 6, axis=1), atol=1e-5)
    assert np.abs(moved[0, 0] - moved[1, 0]).min() > 1e-3


@pytest.mark.parametrize("antithetic", [False, True])
def test_first_paths_do_not_know_how_many_follow(antithetic):
    _, flow = _network(antithetic=antithetic)
    many, few = (flow.shocks(noise.Draw(KEY, True, tf.constant(count)), count, WIDTH)
                 for count in (7, 4))
    assert many.shape[1] == 7
    np.testing.assert_array_equal(many[:, :4], few)


@pytest.mark.parametrize("coherent", [False, True])
def test_antithetic_paths_are_mirrored_in_pairs(coherent):
    _, flow = _network(antithetic=True, num_steps=3)
    shocks = flow.shocks(noise.Draw(KEY, coherent, 5), 20, WIDTH).numpy()
    assert shocks.shape == (3, 5, 1 if coherent else 4, WIDTH)
    np.testing.assert_array_equal(shocks[:, 0:4:2], -shocks[:, 1:4:2])
    assert not np.allclose(np.abs(shocks[:, 0]), np.abs(shocks[:, 2]))
    assert not np.allclose(np.abs(shocks[:, 4]), np.abs(shocks[:, 2]))


def test_gradients_reach_drift_and_diffusion():
    network, flow = _network(_linear(slope=-0.5), _linear(level=0.5))
    with tf.GradientTape() as tape, noise.draws(KEY):
        loss = tf.reduce_sum(network(X)**2)
    for gradient in tape.gradient(loss, flow.trainable_variables):
        assert np.abs(gradient).max() > 0
    assert len(flow.trainable_variables) == 4


@pytest.mark.parametrize("scope", [{}, {"coherent": True}])
def test_paths_are_the_same_under_xla(scope):
    network, _ = _network(_linear(slope=-0.5), _linear(slope=0.5), antithetic=True)

    @tf.function(jit_compile=True)
    def jitted(x):
        with noise.draws(KEY, count=2, **scope):
            return network(x, training=False)

    np.testing.assert_allclose(jitted(X), _draw(network, X, count=2, **scope),
                               atol=1e-5)


def test_steps_add_up_in_single_precision():
    """200 steps of 0.005 on a state of 1: in half precision none counts."""
    network, _ = _network(_linear(level=1.0), num_steps=200, total_time=1.0,
                          dtype="mixed_bfloat16")
    ends = network(np.ones((1, WIDTH)))
    assert ends.dtype == "bfloat16"
    np.testing.assert_allclose(tf.cast(ends, tf.float32), 2.0, rtol=0.01)


def test_training_reaches_the_layers_inside():
    drift = keras.Sequential([keras.Input((WIDTH + 1,)),
                              keras.layers.BatchNormalization(),
                              keras.layers.Dense(WIDTH)])
    network, _ = _network(drift)
    before = drift.layers[0].moving_mean.numpy()
    network(X + 5.0, training=False)
    np.testing.assert_array_equal(drift.layers[0].moving_mean, before)
    network(X + 5.0, training=True)
    assert np.abs(drift.layers[0].moving_mean - before).max() > 0


def test_file_round_trip_keeps_the_paths(tmp_path):
    network, _ = _network(keras.layers.Dense(WIDTH, activation="relu"),
                          keras.layers.Dense(1, activation="sigmoid"), num_steps=3,
                          total_time=2.0, diffusion_scale=0.7, hold_diffusion=True,
                          antithetic=True)
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    conversion.adopt(loaded)
    np.testing.assert_array_equal(_draw(loaded, X, count=2),
                                  _draw(network, X, count=2))


@pytest.mark.parametrize("wrong", [
    {"num_steps": 0}, {"num_steps": 2.5}, {"total_time": 0.0},
    {"total_time": float("nan")}, {"diffusion_scale": -1.0}])
def test_impossible_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        SDEFlow(_linear(), _linear(), **wrong)


def test_no_path_is_refused():
    network, _ = _network()
    with pytest.raises(ValueError, match="at least one path. Received: count=0"):
        _draw(network, X, count=0)


def test_parts_that_do_not_fit_the_state_are_refused():
    with pytest.raises(ValueError, match="drift with 2 outputs for states of "
                                         r"width 2. Received: .*\(None, 3\)"):
        _network(_linear(units=3))
    with pytest.raises(ValueError, match="diffusion with 2 or 1 outputs"):
        _network(diffusion=_linear(units=3))
    with pytest.raises(ValueError, match="flatten"):
        SDEFlow(_linear(), _linear()).build((None, 4, 2))
