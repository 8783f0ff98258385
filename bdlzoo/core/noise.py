"""Random numbers of the zoo, made from the words of the Philox generator.

    state = hash of seed, purpose, step, replica, draw, ...     64 bits, a tensor [1]
    words = philox(state, kind of the stream, place)            always uint32

A key is a state. Below a state, a stream has its own part of the 128-bit counter of
Philox: the upper byte of the first half is the kind (the words of the key itself, a
key that is folded in, a layer, a member), the second half is the place (a counter, or
a layer and its part). So two streams of one state never have a word in common, and
states are 64-bit words of such streams: two of n are equal with probability n^2 / 2^65.
Nobody else adds to a key, or takes it apart.

TensorFlow's samplers of floats give different numbers with and without XLA, but its raw
words are the same. So the floats are made here. A model opens a scope for one draw, and
the layers inside get their keys from it:

    with noise.draws(noise.key(seed, noise.PREDICT), coherent=True):
        outputs = network(inputs, training=False)
"""

import contextlib
import math
import operator
import threading
import typing

import numpy as np
import tensorflow as tf

# The first counter: the purpose of the stream.
TRAIN, PREDICT, ORDER, ATTACK, SETS, INITIAL, ANCHOR, DISTIL = range(8)
OUTSIDE, ACQUIRE, RESAMPLE, DIAGNOSE, AUGMENT, TARGET = range(8, 14)
_SHIFTS = np.arange(32, dtype="uint32")  # `tf.range` has no uint32 kernel.
_SIGN, _ONE = np.array([-0.0, 1.0], "float32").view("uint32")  # Bits of floats.
# Coefficients of the rational function in `_coarse`, from a uniform to a normal number.
# They were fitted to the quantiles, with the moments 2, 4 and 6 equal to 1, 3 and 15.
_COARSE_TOP = (-0.30052, 1.3859242, 0.28943331, 1.0158401e-3)
_COARSE_POLES = (0.10669, 0.0024006)
# With this shift the cubic o (o**2 + shift) of odd bytes has the kurtosis of a normal.
_ODD_BYTES, _ODD = np.uint32(0x01010101), np.arange(-127.0, 128.0, 2.0)
_SHIFT = 5614.0
# Shifts and odd factors of `integer_uniform`: the finaliser of SplitMix64.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIXING = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
           (np.uint64(27), np.uint64(0x94D049BB133111EB)))
_CUBIC_UNIT = 1.0 / np.std(_ODD * (_ODD**2 + _SHIFT))
_SCOPE = threading.local()  # Each replica is traced in its own thread.
# Kinds of streams below a state.
_OWN, _FOLDED, _SPLIT, _LAYER, _BELOW_LAYER, _MEMBER = range(6)
_ROOT = np.array([0x1B873593CC9E2D51], "uint64")  # State above all seeds.
_PHILOX = 1
_WRAP = 2**64


class LayerKey(typing.NamedTuple):
    """Key of a layer in a draw; it takes the place of a key in all functions."""

    state: tf.Tensor
    place: int


def key(seed, *counters):
    """Makes a key from an integer seed, or from a pair of integers, and counters.

    A single integer is completed by 0 to a pair. All 64 bits of an integer count. The
    counters are folded in, so that Philox never uses the seed of a request directly.
    A key can take the place of the seed.
    """
    seed = as_seed(seed)
    if seed.dtype != tf.uint64:
        seed = _bits([1], _ROOT, tf.bitcast(seed, tf.uint64), tf.uint64)
    return fold_in(seed, *counters)


def as_seed(seed):
    """A seed as a tensor: two integers of 64 bits, or the key that it is.

    Functions that take a tensor are traced once for all seeds.

    Args:
        seed: Integer, pair of integers, tensor of them, or key.

    Raises:
        ValueError: If it is something else, or does not fit into 64 bits.
    """
    if tf.is_tensor(seed) and seed.dtype == tf.uint64:
        return seed
    if not tf.is_tensor(seed):
        return tf.constant([*_integers(seed), 0][:2], tf.int64)
    values = tf.reshape(tf.cast(seed, tf.int64), [-1])
    return tf.concat([values, [0]], axis=0)[:2]


def check_seed(seed):
    """The seed itself; raises a `ValueError` if it is not as `as_seed` takes it."""
    _integers(seed)
    return seed


def short_seed(seed):
    """Integer of 32 bits, for generators of others; a longer seed is hashed."""
    first, second = as_seed(seed).numpy().tolist()
    if not second and 0 <= first < 2**32:
        return first
    return int(words([], key(seed)))


def _integers(seed):
    try:
        values = [operator.index(v) for v in np.ravel(np.asarray(seed, object))]
    except TypeError:
        values = []
    if not 1 <= len(values) <= 2 or not all(-2**63 <= v < 2**63 for v in values):
        raise ValueError("Expected an integer of at most 64 bits (from -2**63 to "
                         f"2**63 - 1), or a pair of them. Received: seed={seed!r}")
    return values


def fold_in(key, *counters):
    """Makes the key of the stream `counters` below `key`.

    Args:
        key: Key.
        *counters: Integers or scalar tensors of integers, of at most 64 bits.
    """
    for counter in counters:
        key = _bits([1], _state(key), _stream(_FOLDED, counter), tf.uint64)
    return key


def split(key, count):
    """Makes keys `[count, 1]`; the first ones do not depend on `count`."""
    return _bits([count, 1], _state(key), _stream(_SPLIT), tf.uint64)


def _state(key):
    """State below which a key has its streams."""
    if isinstance(key, LayerKey):
        return _bits([1], key.state, _stream(_BELOW_LAYER, key.place), tf.uint64)
    if key.dtype != tf.uint64:
        raise ValueError("Expected a key: make one by `noise.key(seed, purpose)`. "
                         f"Received: key={key!r}")
    return key


def _stream(kind, place=0):
    """First counter of Philox of a stream, as two halves."""
    first = kind << 56  # No stream has as many as 2**56 blocks of words.
    if isinstance(place, (int, np.integer)):
        return np.array([first, int(place) % _WRAP], "uint64")
    place = tf.bitcast(tf.cast(place, tf.int64), tf.uint64)
    return tf.stack([tf.constant(first, tf.uint64), place])


def _bits(shape, state, stream, dtype=tf.uint32):
    """Words of Philox from a counter on."""
    shape = shape if tf.is_tensor(shape) else tf.convert_to_tensor(shape, tf.int32)
    return tf.raw_ops.StatelessRandomUniformFullIntV2(
        shape=shape, key=state, counter=stream, alg=_PHILOX, dtype=dtype)


class Draw(typing.NamedTuple):
    """One draw of everything random in a network."""

    key: tf.Tensor
    coherent: bool  # Whether all rows of the batch have the same masks and weights.
    count: int = 1  # Number of draws stacked in the batch, each with its own weights.
    member: tf.Tensor | None = None  # Member of mixtures; `None` is a random one.

    def key_of(self, layer, part=0):
        """Key of a layer, or of one of its parts (kernel, bias, signs).

        A layer that is called twice has the same noise both times, since a draw is one
        network.
        """
        if not hasattr(layer, "noise_salt"):
            raise ValueError(
                "Expected a layer with a salt: call `conversion.adopt` on its "
                f"network first. Received: layer={layer.name}")
        # No operation: the place is known when a graph is made.
        return LayerKey(self.key, (layer.noise_salt << 32) + part)

    def member_of(self, num_members):
        """Member of a mixture: of all rows if coherent, otherwise of the first row.

        The next row has the next member, and so on. So the member of a row is uniform,
        and all members are used equally often. It does not depend on the layer, so that
        all layers use the same member for a row.
        """
        if self.member is not None:
            return self.member % num_members
        word = _bits([], self.key, _stream(_MEMBER))
        return tf.cast(word % tf.constant(num_members, tf.uint32), tf.int32)

    def rows(self, shape):
        """Shape of the noise for a batch of `shape`: `(1, ...)` if coherent."""
        return (1, *shape[1:]) if self.coherent else shape


@contextlib.contextmanager
def draws(key, coherent=False, count=1, member=None):
    """Turns on noise for the layers that are called (or traced) inside."""
    outer, _SCOPE.draw = current(), Draw(_state(key), coherent, count, member)
    try:
        yield
    finally:
        _SCOPE.draw = outer


def current():
    """The `Draw` of the innermost scope, or `None` outside of scopes."""
    return getattr(_SCOPE, "draw", None)


def _size(shape):
    """Number of elements of a shape, as an integer if it is known."""
    if tf.is_tensor(shape) or not all(isinstance(dim, int) for dim in shape):
        return tf.reduce_prod(shape)
    return math.prod(shape)


def _first(values, size):
    """The first `size` numbers, without a copy if these are all of them."""
    if isinstance(size, int) and values.shape.num_elements() == size:
        return values
    return tf.reshape(values, [-1])[:size]


def words(shape, key):
    """Raw random bits, the same with and without XLA."""
    if isinstance(key, LayerKey):
        return _bits(shape, key.state, _stream(_LAYER, key.place))
    return _bits(shape, _state(key), _stream(_OWN))


def uniform(shape, key):
    """Uniform numbers strictly inside (0, 1)."""
    # With 23 bits plus one half all numbers are inside; 24 bits could round up to 1.
    top = tf.bitwise.right_shift(words(shape, key), np.uint32(9))
    return (tf.cast(top, tf.float32) + 0.5) * 2.0**-23


def row_uniform(inputs, key):
    """A uniform number for each row of inputs, which depends on the row and the key.

    A row has the same number alone, in any batch, and in a batch with padding. This is
    multilinear hashing: with factors of 64 random bits the upper bits of any two
    different rows are independent.
    """
    parts = [tf.reshape(_numbers(part), [tf.shape(part)[0], -1])
             for part in tf.nest.flatten(inputs)]
    bits = tf.cast(tf.bitcast(tf.concat(parts, axis=1), tf.uint32), tf.int64)
    factors = tf.bitcast(words([tf.shape(bits)[1] + 1, 2], key), tf.int64)
    # Integers wrap around without rounding, so the order of the sum does not matter.
    hashes = factors[0] + tf.reduce_sum(factors[1:] * bits, axis=1)
    top = tf.bitwise.right_shift(tf.bitcast(hashes, tf.uint64), np.uint64(41))
    return (tf.cast(tf.cast(top, tf.int32), tf.float32) + 0.5) * 2.0**-23


def integer_uniform(integers, key):
    """A uniform number for each integer, which depends on the integer and the key.

    It is for noise of few entries of a large table, such as the words of a sentence:
    the noise of all the others is never made.
    """
    start, middle = tf.unstack(tf.bitcast(words([2, 2], key), tf.uint64))
    mixed = tf.cast(integers, tf.uint64) * _GOLDEN + start
    for shift, factor in _MIXING:
        mixed = tf.bitwise.bitwise_xor(mixed, tf.bitwise.right_shift(mixed, shift))
        mixed = tf.bitwise.bitwise_xor(mixed * factor, middle)
    top = tf.bitwise.right_shift(mixed, np.uint64(41))
    return (tf.cast(tf.cast(top, tf.int32), tf.float32) + 0.5) * 2.0**-23


def _numbers(part):
    part = tf.convert_to_tensor(part)
    if part.dtype == tf.string:
        part = tf.strings.to_hash_bucket_fast(part, 2**24)
    return tf.cast(part, tf.float32)


def normal(shape, key):
    """Standard normal numbers, by the method of Box and Muller.

    They agree with and without XLA to 5e-7; the inverse distribution function would
    agree to 2e-5 only.
    """
    size = _size(shape)
    radius, angle = tf.unstack(uniform([2, (size + 1) // 2], key))
    radius, angle = tf.sqrt(-2.0 * tf.math.log(radius)), math.tau * angle
    both = tf.concat([radius * tf.cos(angle), radius * tf.sin(angle)], axis=0)
    return tf.reshape(_first(both, size), shape)


def coarse_normal(shape, key):
    """Approximate normal numbers with 65,536 equally likely values, two from a word.

    They are for noise on millions of weights in training: under XLA they cost a seventh
    of `normal`. The first seven moments are those of a normal, the distribution
    function is exact within 0.001, and the largest value is 3.9.
    """
    size = _size(shape)
    return tf.reshape(_first(_coarse(words([(size + 1) // 2], key)), size), shape)


# Compiled by XLA in graph mode too, so that all operations are one pass over the data.
@tf.function(input_signature=[tf.TensorSpec([None], tf.uint32)], autograph=False,
             jit_compile=True)
def _coarse(word):
    cells = tf.concat([tf.bitwise.bitwise_and(word, np.uint32(0xFFFF)),
                       tf.bitwise.right_shift(word, np.uint32(16))], axis=0)
    # Through int32, because casts from unsigned integers to floats are slow.
    middles = tf.cast(tf.cast(cells, tf.int32), tf.float32) * 2.0**-15
    middles += 2.0**-16 - 1.0  # Middles of equal cells of (-1, 1).
    edge = (1.0 - middles) * (1.0 + middles)
    first, second = _COARSE_POLES
    top = tf.math.polyval(list(_COARSE_TOP), edge)
    return middles * top / ((first + edge) * (second + edge))


def cubic_normal(shape, key, scale=1.0):
    """Noise with 128 values and the first five moments of a normal, four from a word.

    It is for samplers, where the noise of thousands of steps adds up: schemes for
    stochastic differential equations depend on its moments only (Kloeden and Platen,
    1992). It costs a fifth of a normal. The largest value is 2.3.

    Args:
        shape: Sequence of integers, or tensor.
        key: Key of the stream.
        scale: Scalar, standard deviation.

    Returns:
        Float tensor of this shape.
    """
    return cubic(odd_bytes(shape, key), scale)


def odd_bytes(shape, key):
    """Odd integers from -127 to 127, equally likely, as `int8`."""
    size = _size(shape)
    odd = tf.bitwise.bitwise_or(words([(size + 3) // 4], key), _ODD_BYTES)
    return tf.reshape(_first(tf.bitcast(odd, tf.int8), size), shape)


def cubic(odd, scale=1.0):
    """Turns `odd_bytes` into the noise of `cubic_normal`."""
    values, unit = tf.cast(odd, tf.float32), _CUBIC_UNIT * scale
    return values * (unit * tf.square(values) + unit * _SHIFT)


def gumbel(shape, key):
    """Standard Gumbel numbers, which are always finite."""
    return -tf.math.log(-tf.math.log(uniform(shape, key)))


def mask(shape, rate, key):
    """False with probability `rate` (in steps of 1/65536), otherwise true."""
    size = _size(shape)
    # Words are expensive, so eight bits are used for a number if they are enough.
    few = rate * 256 == round(rate * 256)
    kind, count = (tf.uint8, 4) if few else (tf.uint16, 2)
    parts = tf.bitcast(words([(size + count - 1) // count], key), kind)
    limit = min(round(rate * 2**(32 // count)), kind.max)
    keep = parts >= tf.constant(limit, kind)
    return tf.reshape(_first(keep, size), shape)


def signs(shape, key):
    """Random signs -1 and 1, 32 from a word."""
    size = _size(shape)
    # Each bit becomes the sign bit of a one.
    bits = tf.bitwise.left_shift(words([(size + 31) // 32, 1], key), _SHIFTS)
    ones = tf.bitwise.bitwise_or(tf.bitwise.bitwise_and(bits, _SIGN), _ONE)
    return tf.reshape(_first(tf.bitcast(ones, tf.float32), size), shape)


def permutation(size, key):
    """Random order of `0, ..., size - 1`."""
    # A stable sort of words; equal words, which are very rare, keep their order.
    return tf.argsort(tf.cast(words([size], key), tf.int64), stable=True)
