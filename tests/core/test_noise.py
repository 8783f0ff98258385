"""Noise: the right laws, the same bits everywhere, one key a stream."""

import itertools
import types

import numpy as np
import pytest
import scipy.stats
import tensorflow as tf

from bdlzoo.core import noise

KEY = noise.key(3, noise.TRAIN)


@pytest.mark.parametrize("sampler", [
    noise.words, noise.uniform, noise.normal, noise.gumbel, noise.signs,
    lambda shape, key: noise.mask(shape, 0.3, key)])
@pytest.mark.parametrize("shape", [(5,), (7, 9), (64, 33)])
def test_xla_gives_the_same_numbers(sampler, shape):
    plain = tf.function(lambda key: sampler(shape, key))(KEY)
    jitted = tf.function(lambda key: sampler(shape, key), jit_compile=True)(KEY)
    if plain.dtype.is_floating:
        np.testing.assert_allclose(plain, jitted, atol=2e-6)
    else:
        np.testing.assert_array_equal(plain, jitted)


def test_uniforms_are_uniform_and_never_touch_the_ends():
    sample = noise.uniform([200_000], KEY).numpy()
    assert 0 < sample.min() and sample.max() < 1
    assert scipy.stats.kstest(sample, "uniform").pvalue > 1e-3


def test_largest_word_stays_below_one(monkeypatch):
    monkeypatch.setattr(noise, "words", lambda shape, key: tf.fill(
        shape, tf.constant(2**32 - 1, tf.uint32)))
    assert noise.uniform([1], KEY).numpy()[0] < 1.0
    assert np.isfinite(noise.gumbel([1], KEY).numpy()[0])


def test_normals_are_normal_and_their_halves_independent():
    sample = noise.normal([200_001], KEY).numpy()
    assert scipy.stats.kstest(sample, "norm").pvalue > 1e-3
    assert abs(np.corrcoef(sample[:100_000], sample[100_000:200_000])[0, 1]) < 0.01


def test_coarse_normals_are_normal_to_the_resolution_of_sixteen_bits():
    sample = noise.coarse_normal([500_001], KEY).numpy()
    assert scipy.stats.kstest(sample, "norm").pvalue > 1e-3
    assert abs(np.corrcoef(sample[:250_000], sample[250_001:])[0, 1]) < 0.01
    assert abs(scipy.stats.kurtosis(sample)) < 0.05


def test_coarse_normals_have_seven_moments_of_a_normal(monkeypatch):
    """Every cell once: no error but that of rounding is left."""
    low = np.arange(0, 65536, 2, dtype="uint32")
    every = low + ((low + 1) << 16)
    monkeypatch.setattr(noise, "words", lambda shape, key: tf.constant(every))
    values = noise.coarse_normal([65536], KEY).numpy().astype("float64")
    assert len(np.unique(values)) > 65000
    assert abs(values.mean()) < 1e-6 and abs(values.var() - 1.0) < 1e-5
    moments = [np.mean(values**power) for power in range(3, 8)]
    np.testing.assert_allclose(moments, [0.0, 3.0, 0.0, 15.0, 0.0], atol=1e-3)
    quantiles = scipy.stats.norm.ppf((np.arange(65536) + 0.5) / 65536)
    assert np.sqrt(np.mean((np.sort(values) - quantiles)**2)) < 5e-3


def test_coarse_normals_agree_under_xla():
    jitted = tf.function(noise.coarse_normal, jit_compile=True)
    np.testing.assert_allclose(jitted((100, 99), KEY),
                               noise.coarse_normal((100, 99), KEY), atol=5e-5)


def test_cubic_normals_have_five_moments_of_a_normal():
    sample = noise.cubic_normal((1001, 301), KEY, scale=3.0).numpy().ravel() / 3.0
    values, counts = np.unique(sample, return_counts=True)
    assert len(values) == 128
    assert scipy.stats.chisquare(counts).pvalue > 1e-3
    moments = [np.mean(values.astype("float64")**power) for power in range(1, 6)]
    np.testing.assert_allclose(moments, [0.0, 1.0, 0.0, 3.0, 0.0], atol=1e-4)
    assert abs(np.corrcoef(sample[:150_000], sample[150_000:300_000])[0, 1]) < 0.01


def test_cubic_normals_agree_under_xla():
    jitted = tf.function(noise.cubic_normal, jit_compile=True)
    np.testing.assert_allclose(jitted((100, 99), KEY),
                               noise.cubic_normal((100, 99), KEY), rtol=5e-7)


def test_parts_of_a_layer_have_streams_of_their_own():
    layer = types.SimpleNamespace(noise_salt=2, name="layer")
    draw = noise.Draw(KEY, False)
    first, second = (noise.normal([2000], draw.key_of(layer, part)).numpy()
                     for part in (0, 1))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.1


def test_gumbels_are_gumbel():
    sample = noise.gumbel([100_000], KEY).numpy()
    assert scipy.stats.kstest(sample, "gumbel_r").pvalue > 1e-3


@pytest.mark.parametrize("rate", [0.005, 0.1, 0.5, 0.9, 0.999999])
def test_mask_drops_at_its_rate(rate):
    keep = noise.mask([1_000_001], rate, KEY).numpy()
    error = np.sqrt(rate * (1 - rate) / 1e6) + 2.0**-16  # Of the steps of rates.
    assert abs(keep.mean() - (1 - rate)) < 4 * error


def test_signs_are_even_and_uncorrelated():
    signs = noise.signs([1000, 100], KEY).numpy()
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean()) < 0.013
    assert abs((signs[:, :-1] * signs[:, 1:]).mean()) < 0.013


def test_permutation_holds_every_index_once():
    order = noise.permutation(1000, KEY).numpy()
    np.testing.assert_array_equal(np.sort(order), np.arange(1000))
    assert not np.array_equal(order, np.arange(1000))


# Seed, purpose, step, replica, draw, layer, part.
COORDINATES = (5, noise.TRAIN, 100, 1, 0, 3, 1)


def _key_of(seed, purpose, step, replica, draw, layer, part):
    key = noise.key(seed, purpose, step, replica)
    drawn = noise.Draw(noise.split(key, draw + 1)[draw], False)
    return drawn.key_of(types.SimpleNamespace(noise_salt=layer, name="layer"), part)


def _first_word(key):
    return int(noise.words([2], key).numpy().view("uint64")[0])


def test_streams_differ_by_every_counter():
    keys = [noise.key(seed, *counters) for seed in (0, 1, (0, 1))
            for counters in ((0, 0), (0, 1), (1, 0))]
    first = [_first_word(key) for key in keys]
    assert len(set(first)) == len(first)


def test_streams_of_a_step_are_apart():
    """All of a small box of coordinates, where sums of neighbours would meet."""
    box = itertools.product(*((c, c + 1) for c in COORDINATES[:4]), range(2),
                            range(3), range(3))
    first = [_first_word(_key_of(*place)) for place in box]
    assert len(first) == 288 and len(set(first)) == 288


def test_keys_below_a_key_are_apart_from_its_own_words():
    """What is folded in, split off, given to a layer or to a member, and its words."""
    draw, layer = noise.Draw(KEY, False), types.SimpleNamespace(noise_salt=0)
    own = [KEY, noise.fold_in(KEY, 0), noise.fold_in(KEY, -1), noise.split(KEY, 1)[0],
           draw.key_of(layer), noise.fold_in(draw.key_of(layer), 0),
           noise.split(draw.key_of(layer), 1)[0]]
    words = [noise.words([64], key).numpy() for key in own]
    made = [tf.bitcast(key, tf.uint32).numpy().ravel() for key in own[:4]]
    member = [draw.member_of(2**32 - 1).numpy().astype("uint32")[None]]
    every = np.concatenate(words + made + member)
    # Two of 457 words of 32 bits are equal once in 40,000 trials.
    assert len(every) == 457 and len(np.unique(every)) == 457


@pytest.mark.parametrize("coordinate", range(7))
def test_neighbouring_streams_are_independent(coordinate):
    """Streams that differ by one in a coordinate: bytes, and linear correlation."""
    near = [c + (place == coordinate) for place, c in enumerate(COORDINATES)]
    one, other = (noise.words([1 << 16], _key_of(*place)).numpy()
                  for place in (COORDINATES, near))
    for mixed in (one ^ other, one - other):
        counts = np.bincount(mixed.view("uint8"), minlength=256)
        assert scipy.stats.chisquare(counts).pvalue > 1e-4
    for lag in range(3):
        pair = one[lag:] / 2.0**32, other[:len(other) - lag] / 2.0**32
        assert abs(np.corrcoef(*pair)[0, 1]) < 4.5 / 2**8


@pytest.mark.slow
def test_no_two_of_many_steps_have_one_key():
    """A hash of 32 bits would have five pairs of equal ones."""
    keys = tf.function(lambda: tf.map_fn(
        lambda step: noise.key(0, noise.TRAIN, step, 1), tf.range(200_000),
        fn_output_signature=tf.uint64))().numpy()
    assert len(np.unique(keys)) == 200_000


def test_all_bits_of_a_seed_count():
    seeds = [0, 1, -1, 2**31, 2**32, 2**32 + 1, 2**63 - 1, -2**63, (0, 1), (0, 2**32)]
    assert len({_first_word(noise.key(seed)) for seed in seeds}) == len(seeds)
    np.testing.assert_array_equal(noise.key(2**40), noise.key(tf.constant(2**40)))
    assert noise.short_seed(2**32 - 1) == 2**32 - 1
    assert noise.short_seed(2**32) not in (0, noise.short_seed(2**33))


@pytest.mark.parametrize("seed", [2**63, -2**63 - 1, 0.5, "1", (1, 2, 3), ()])
def test_other_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="64 bits.*Received: seed="):
        noise.key(seed)


def test_a_key_is_asked_for():
    with pytest.raises(ValueError, match="make one by `noise.key"):
        noise.normal([2], tf.constant([1, 2]))
    np.testing.assert_array_equal(noise.key(KEY, 4), noise.fold_in(KEY, 4))


def test_fewer_draws_are_the_first_of_more():
    many = noise.split(KEY, 9).numpy()
    np.testing.assert_array_equal(noise.split(KEY, 4), many[:4])
    assert len(np.unique(many)) == 9


def test_salts_part_the_streams_of_layers():
    """Neighbouring salts are neighbouring numbers, and their noise is not."""
    layers = [types.SimpleNamespace(noise_salt=salt) for salt in range(40)]
    draw = noise.Draw(KEY, True)
    sample = np.stack([noise.normal([2000], draw.key_of(layer)).numpy()
                       for layer in layers])
    others = np.corrcoef(sample)[~np.eye(40, dtype=bool)]
    assert abs(others).max() < 5 / np.sqrt(2000)


def test_seed_is_half_of_a_pair():
    np.testing.assert_array_equal(noise.key(5, 1), noise.key([[5, 0]], 1))


def test_scope_ends_and_nests():
    assert noise.current() is None
    with noise.draws(KEY, coherent=True):
        with noise.draws(KEY):
            assert not noise.current().coherent
        assert noise.current().coherent
    assert noise.current() is None


def test_number_of_a_row_is_that_of_the_row_alone():
    rows = np.random.default_rng(0).normal(size=(3000, 4, 5)).astype("float32")
    sample = noise.row_uniform(rows, KEY).numpy()
    assert scipy.stats.kstest(sample, "uniform").pvalue > 0.01
    np.testing.assert_array_equal(noise.row_uniform(rows[7:8], KEY), sample[7:8])
    np.testing.assert_array_equal(
        tf.function(noise.row_uniform, jit_compile=True)(rows, KEY), sample)
    other = noise.row_uniform(rows, noise.key(4, noise.TRAIN)).numpy()
    assert abs(np.corrcoef(sample, other)[0, 1]) < 5 / np.sqrt(3000)


def test_rows_that_hardly_differ_have_numbers_apart():
    """All rows of ten bits: floats of which most bits are the same."""
    bits = (np.arange(1024)[:, None] >> np.arange(10)) & 1
    sample = noise.row_uniform(bits, KEY).numpy()
    assert len(np.unique(sample)) == 1024
    assert scipy.stats.kstest(sample, "uniform").pvalue > 0.01
    words = np.array([["a b"], ["c"]])
    parts = noise.row_uniform({"bits": bits[:2], "text": words}, KEY).numpy()
    assert parts[0] != parts[1] and 0 < parts.min() < parts.max() < 1


def test_integer_uniforms_are_uniform_and_depend_on_integer_and_key_alone():
    integers = np.arange(100_000, dtype="int64") * 3
    numbers = noise.integer_uniform(integers, KEY).numpy()
    assert scipy.stats.kstest(numbers, "uniform").pvalue > 1e-3
    for lag in (1, 2, 20_000):  # No pattern over neighbours.
        assert abs(np.corrcoef(numbers[lag:], numbers[:-lag])[0, 1]) < 0.02
    triples = (numbers[:99_999].reshape(-1, 3) < 0.5).astype(int) @ [1, 2, 4]
    assert scipy.stats.chisquare(np.bincount(triples)).pvalue > 1e-3
    np.testing.assert_array_equal(
        noise.integer_uniform(integers[::-1].copy(), KEY), numbers[::-1])
    other = noise.integer_uniform(integers, noise.key(9)).numpy()
    assert abs(np.corrcoef(numbers, other)[0, 1]) < 0.02
    compiled = tf.function(noise.integer_uniform, jit_compile=True)
    np.testing.assert_array_equal(compiled(integers, KEY), numbers)
