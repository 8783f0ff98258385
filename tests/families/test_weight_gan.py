"""The network that generates vectors: its steps, its short cuts, its state."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families import weight_gan
from bdlzoo.families.weight_gan import WeightGAN

RNG = np.random.default_rng(0)
SIZE = 5
X = (RNG.normal(size=(12, SIZE)) * [1, 2, 3, 0.1, 0.01] + 4).astype("float32")
KEY = noise.key(3, noise.TRAIN)


def _model(mode="wgan_gp", critic_steps=2, optimizers=(None, None), **kwargs):
    keras.utils.set_random_seed(1)
    model = WeightGAN(SIZE, mode, width=6, latent=3, critic_steps=critic_steps,
                      seed=7, **kwargs)
    model.compile(*optimizers, run_eagerly=True)
    return model


def _sgd():
    return keras.optimizers.SGD(0.01), keras.optimizers.SGD(0.005)


def _state(model):
    return [v.numpy() for part in (model, model.optimizer, model.critic_optimizer)
            for v in part.variables]


def _assert_equal(first, second):
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("width, latent, size, expected", [
    (20, 32, 79_510, 1_671_210),
    (100, 32, 10, 100 * 33 + 2 * 100 * 101 + 101 * 10),
    (4, 3, 7, 4 * 4 + 2 * 4 * 5 + 5 * 7)])
def test_generator_costs_as_much_as_width_and_one_samples(
        width, latent, size, expected):
    model = WeightGAN(size, width=width, latent=latent)
    assert model.generator.count_params() == expected
    assert model.critic.count_params() == (
        (size + 1) * width + 2 * (width + 1) * width + width + 1)


@pytest.mark.parametrize("mode, critic_steps, kind, rate", [
    ("gan", 1, "Adam", 2e-4), ("wgan", 5, "RMSprop", 5e-5),
    ("wgan_gp", 5, "Adam", 1e-4)])
def test_each_mode_has_the_optimisers_of_its_paper(mode, critic_steps, kind, rate):
    model = _model(mode, critic_steps=None)
    assert model.critic_steps == critic_steps
    assert model.optimizer is not model.critic_optimizer
    betas = {"gan": (0.5, 0.999), "wgan_gp": (0.5, 0.9)}.get(mode)
    for optimizer in (model.optimizer, model.critic_optimizer):
        assert type(optimizer).__name__ == kind
        np.testing.assert_allclose(optimizer.learning_rate, rate)
        assert betas is None or (optimizer.beta_1, optimizer.beta_2) == betas


@pytest.mark.parametrize("slope", [[3.0, 4.0], [0.6, 0.8], [0.0, 0.0]])
def test_penalty_of_a_linear_critic_knows_its_slope_alone(slope):
    critic = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    critic.set_weights([np.array(slope)[:, None], np.ones(1)])
    units = critic(RNG.normal(size=(9, 2)).astype("float32"))
    np.testing.assert_allclose(weight_gan.gradient_penalty(critic, units),
                               (np.hypot(*slope) - 1)**2, atol=1e-5)


def _plain_step(model, real, key):
    """A step as the papers write it, with vectors in full; SGD by hand."""
    generator, critic = model.generator, model.critic
    rows = len(real) // model.critic_steps
    for i in range(model.critic_steps):
        batch = (real[i * rows:(i + 1) * rows] - model.center) / model.scale
        one = noise.fold_in(key, i)
        fake = generator(noise.normal([rows, 3], noise.fold_in(one, 0)))
        mix = noise.uniform([rows, 1], noise.fold_in(one, 1))
        points = batch + mix * (fake - batch)
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                inner.watch(points)
                scores = critic(points)
            slopes = inner.gradient(scores, points)
            penalty = tf.reduce_mean((tf.norm(slopes, axis=1) - 1)**2)
            loss = model.gan_loss.of_critic(critic(batch), critic(fake))
            if model.mode == "wgan_gp":
                loss += model.penalty * penalty
        weights = critic.trainable_variables
        for v, g in zip(weights, tape.gradient(loss, weights)):
            v.assign_sub(0.005 * (0.0 if g is None else g))
            if model.mode == "wgan":
                v.assign(np.clip(v, -0.01, 0.01))
    last = noise.fold_in(key, model.critic_steps)
    with tf.GradientTape() as tape:
        fake = generator(noise.normal([rows, 3], last))
        final = model.gan_loss.of_generator(critic(fake))
    weights = generator.trainable_variables
    for v, g in zip(weights, tape.gradient(final, weights)):
        v.assign_sub(0.01 * g)
    return {"loss": loss, "generator_loss": final, "penalty": penalty}


@pytest.mark.parametrize("mode", ["gan", "wgan", "wgan_gp"])
def test_short_cuts_change_nothing(mode):
    quick, plain = (_model(mode, optimizers=_sgd()) for _ in range(2))
    for model in (quick, plain):
        model.set_statistics(X)
        for v in model.trainable_variables:  # Biases of 0 would hide a fault.
            v.assign(v + 0.1)
    for step in range(2):
        key = noise.fold_in(KEY, step)
        expected = _plain_step(plain, X, key)
        for name, value in quick.learn(tf.constant(X), key).items():
            np.testing.assert_allclose(value, expected[name], rtol=1e-4, atol=1e-6)
    for a, b in zip(quick.trainable_variables, plain.trainable_variables):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_minibatches_side_by_side_are_those_below_each_other():
    tall, wide = (_model(optimizers=_sgd()) for _ in range(2))
    tall.learn(tf.constant(X), KEY)
    wide.learn(tf.constant(X.reshape(2, 6, SIZE).swapaxes(0, 1)), KEY)
    _assert_equal(_state(tall), _state(wide))


def test_clipped_critic_has_small_weights_after_every_step():
    model = _model("wgan", optimizers=_sgd())
    model.fit(X, batch_size=12, epochs=2, verbose=0)
    largest = [np.abs(v).max() for v in model.critic.get_weights()]
    assert max(largest) == np.float32(0.01)


def test_every_update_of_the_critic_sees_rows_of_its_own():
    model, seen = _model(standardize=False), []
    step = model._critic_step
    model._critic_step = lambda real, key: (seen.append(real.numpy()),
                                            step(real, key))[1]
    model.fit(X, batch_size=4, verbose=0)
    assert [len(rows) for rows in seen] == [4] * 6
    for first, second in zip(seen[::2], seen[1::2]):
        assert not np.array_equal(np.sort(first, axis=0), np.sort(second, axis=0))
    # Over an epoch each of them has seen every row once.
    for order in (seen[::2], seen[1::2]):
        np.testing.assert_array_equal(np.sort(np.concatenate(order), axis=0),
                                      np.sort(X, axis=0))


def test_networks_see_standard_coordinates_and_answers_are_raw():
    samples = np.concatenate([X, np.full((12, 1), 0.1, "float32")], axis=1)
    model = WeightGAN(SIZE + 1, width=4, latent=2)
    model.set_statistics(samples)
    seen = model.standardized(samples).numpy()
    np.testing.assert_allclose(seen.mean(axis=0), 0.0, atol=1e-3)
    np.testing.assert_allclose(seen[:, :-1].std(axis=0), 1.0, rtol=1e-3)
    assert model.scale.numpy()[-1] == 1.0 and not seen[:, -1].any()
    normals = RNG.normal(size=(4, 2)).astype("float32")
    np.testing.assert_allclose(model.standardized(model(normals)),
                               model.generator(normals), rtol=1e-3, atol=1e-3)
    plain = WeightGAN(SIZE + 1, width=4, latent=2, standardize=False)
    plain.set_statistics(samples)
    plain.observe(samples)
    np.testing.assert_array_equal(plain.standardized(samples), samples)


def test_running_statistics_are_those_of_all_that_was_active():
    model = WeightGAN(3, width=4)
    observe = tf.function(model.observe)
    rows = (RNG.normal(size=(50, 3)) * [0.01, 1, 10] + [5, 0, -3]).astype("float32")
    rows[:, 1] = 0.013  # Never varies, but for rounding of its mean.
    active = RNG.integers(0, 2, 10).astype("float32")
    active[0] = 0.0
    for part, on in zip(np.split(rows, 10), active):
        observe(tf.constant(part), tf.constant(on))
    counted = rows[np.repeat(active > 0, 5)].astype("float64")
    np.testing.assert_allclose(model.center, counted.mean(axis=0), rtol=1e-5)
    expected = counted.std(axis=0)
    np.testing.assert_allclose(model.scale, np.where(expected > 1e-6, expected, 1),
                               rtol=1e-3)
    assert model.scale.numpy()[1] == 1.0
    assert float(model.num_seen) == len(counted)
    one = WeightGAN(3, width=4)
    one.set_statistics(counted)
    np.testing.assert_allclose(one.scale, model.scale, rtol=1e-3)


def test_a_step_left_out_has_the_logs_of_one():
    for mode in ("gan", "wgan_gp"):
        model = _model(mode)
        logs = model.learn(tf.constant(X), KEY)
        assert list(model.no_logs()) == list(logs)
        assert not any(map(float, model.no_logs().values()))


def test_key_decides_what_is_generated_and_fewer_are_the_first():
    model = _model()
    model.set_statistics(X)
    generate = tf.function(model.generate)
    many = generate(tf.constant(7), KEY).numpy()
    assert many.shape == (7, SIZE) and len(np.unique(many, axis=0)) == 7
    np.testing.assert_allclose(generate(tf.constant(3), KEY), many[:3], rtol=1e-5)
    np.testing.assert_allclose(model.generate(7, KEY), many, rtol=1e-5)
    other = generate(tf.constant(7), noise.fold_in(KEY, 1)).numpy()
    assert not np.isin(many, other).any()
    assert generate.experimental_get_tracing_count() == 1


@pytest.mark.slow
def test_compiled_step_equals_plain():
    models = [_model(optimizers=_sgd()) for _ in range(2)]
    plain, compiled = (tf.function(
        lambda rows, model=model: model.learn(rows, KEY), jit_compile=jit)(
            tf.constant(X)) for model, jit in zip(models, (False, True)))
    for name, value in plain.items():
        np.testing.assert_allclose(value, compiled[name], rtol=1e-4)
    for a, b in zip(_state(models[0]), _state(models[1]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_saved_model_generates_the_same_and_goes_on_as_the_first(tmp_path):
    model = _model("wgan", optimizers=("sgd", "adam"))
    model.fit(X, batch_size=12, verbose=0)
    model.save(tmp_path / "gan.keras")
    loaded = keras.saving.load_model(tmp_path / "gan.keras")
    _assert_equal(_state(model), _state(loaded))
    np.testing.assert_array_equal(model.generate(3, KEY), loaded.generate(3, KEY))
    assert loaded.get_config() == model.get_config()
    for one in (model, loaded):
        one.fit(X, batch_size=12, verbose=0)
    _assert_equal(_state(model), _state(loaded))


def test_resumed_run_is_equal_to_the_last_bit(tmp_path):
    whole, first, second = _model(), _model(), _model()
    whole.fit(X, batch_size=12, epochs=2, verbose=0)
    first.fit(X, batch_size=12, epochs=1, verbose=0, checkpoint_dir=tmp_path)
    second.fit(X, batch_size=12, epochs=2, verbose=0, checkpoint_dir=tmp_path)
    _assert_equal(_state(whole), _state(second))
    assert int(second.critic_optimizer.iterations) == 4


def test_end_of_a_dataset_that_is_too_short_is_no_harm():
    model = _model(critic_steps=3)
    model.set_statistics(X)
    logs = model.fit(tf.data.Dataset.from_tensor_slices(X[:10]).batch(4),
                     verbose=0).history
    assert int(model.optimizer.iterations) == 3
    assert all(np.isfinite(a).all() for a in (*_state(model), *logs.values()))


def test_everything_is_float32_in_mixed_precision():
    expected = _model().generate(3, KEY)
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = _model()
        model.learn(tf.constant(X), KEY)
        vectors = _model().generate(3, KEY)
    finally:
        keras.config.set_dtype_policy("float32")
    assert {v.dtype for v in model.variables} == {"float32"}
    np.testing.assert_array_equal(vectors, expected)


@pytest.mark.parametrize("options, message", [
    ({"mode": "began"}, "one of.*mode='began'"), ({"size": 0}, "size=0"),
    ({"width": 2.5}, "width=2.5"), ({"latent": 0}, "latent=0"),
    ({"critic_steps": 0}, "critic_steps=0"), ({"penalty": -1.0}, "penalty=-1.0"),
    ({"clip": 0.0}, "clip=0.0")])
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        WeightGAN(**{"size": SIZE, **options})


def test_one_optimiser_for_both_networks_is_refused():
    with pytest.raises(ValueError, match="the same SGD twice"):
        _model(optimizers=[keras.optimizers.SGD(0.1)] * 2)


@pytest.mark.parametrize("data, message", [
    ((X[:, :3],), r"vectors \[N, 5\]"), ((X[:, 0],), r"vectors \[N, 5\]"),
    ((X[:1],), "2 updates of the critic.*1 rows"), ((X, X), "Leave `y` out"),
    ((np.where(X == X[3, 2], np.nan, X),), "the first at index 3"),
    ((tf.data.Dataset.from_tensor_slices(X).batch(4),), "set_statistics")])
def test_bad_data_are_refused_before_anything_is_set(data, message):
    model = _model()
    before = _state(model)
    with pytest.raises(ValueError, match=message):
        model.fit(*data, verbose=0)
    _assert_equal(before, _state(model))


def test_step_of_a_model_that_is_not_compiled_says_so():
    with pytest.raises(ValueError, match="compile"):
        WeightGAN(SIZE).learn(tf.constant(X), KEY)


@pytest.mark.slow
def test_both_modes_of_a_posterior_are_generated():
    """T8.9: neither is lost."""
    modes = np.repeat([[-1.0, -1.0], [1.0, 1.0]], 500, axis=0)
    shifts = np.random.default_rng(0).normal(size=modes.shape)
    samples = (modes + 0.1 * shifts).astype("float32")
    keras.utils.set_random_seed(0)
    model = WeightGAN(2, width=32, latent=4, seed=0)
    model.compile(keras.optimizers.Adam(2e-4, beta_1=0.5, beta_2=0.9),
                  keras.optimizers.Adam(1e-3, beta_1=0.5, beta_2=0.9))
    model.fit(samples, batch_size=64, epochs=1, steps_per_epoch=3200, verbose=0)
    found = tf.function(model.generate)(1000, KEY).numpy()
    first, second = ((np.abs(found - side) < 0.5).all(axis=1).mean()
                     for side in (-1, 1))
    assert min(first, second) > 0.3 and first + second > 0.8


@pytest.mark.slow
def test_gaussian_comes_back_with_its_mean_and_covariance():
    mean, covariance = np.array([3.0, -1.0]), np.array([[1.0, 0.3], [0.3, 0.25]])
    samples = RNG.multivariate_normal(mean, covariance, 10_000).astype("float32")
    keras.utils.set_random_seed(0)
    model = WeightGAN(2, width=32, latent=8, seed=0)
    # At equal rates the two networks circle each other. So the critic is fast, and
    # the generator slows down.
    steps = 16_000  # At half of them the covariance is off by up to a fifth.
    falling = keras.optimizers.schedules.CosineDecay(1e-4, steps)
    model.compile(keras.optimizers.Adam(falling, beta_1=0.5, beta_2=0.9),
                  keras.optimizers.Adam(1e-3, beta_1=0.5, beta_2=0.9))
    model.fit(samples, batch_size=256, epochs=16, steps_per_epoch=1000, verbose=2)
    found = tf.function(model.generate)(10_000, KEY).numpy()
    np.testing.assert_allclose(found.mean(axis=0), mean, rtol=0.1)
    np.testing.assert_allclose(np.cov(found.T), covariance, rtol=0.1)
