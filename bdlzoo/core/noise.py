"""Random numbers of the zoo, made from the words of the Philox generator.

    key   = seed, purpose, step, stream, draw, salt    counters, no state
    words = philox(key)                                always uint32

TensorFlow's samplers of floats give different numbers with and without XLA, but its raw
words are the same. So the floats are made here. A model opens a scope for one draw, and
the layers inside get their keys from it:

    with noise.draws(noise.key(seed, noise.PREDICT), coherent=True):
        outputs = network(inputs, training=False)
"""

import contextlib
import math
import threading
import typing

import numpy as np
import tensorflow as tf

# The first counter: the purpose of the stream.
TRAIN, PREDICT, ORDER, ATTACK, SETS, INITIAL, ANCHOR, DISTIL = range(8)
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


def key(seed, *counters):
    """Makes a key from an integer seed, or from a pair of integers, and counters.

    A single integer is completed by 0 to a pair. The counters are folded in, so that
    Philox never uses the seed of a request directly.
    """
    pair = tf.reshape(tf.cast(seed, tf.int32), [-1])
    return fold_in(tf.concat([pair, [0]], axis=0)[:2], *counters)


def fold_in(key, *counters):
    """Makes the key of the stream `counters` below `key`."""
    for counter in counters:
        key = tf.random.experimental.stateless_fold_in(
            key, tf.cast(counter, tf.int32), alg="philox")
    return key


def split(key, count):
    """Makes keys `[count, 2]`; the first ones do not depend on `count`."""
    return tf.bitcast(words([count, 2], key), tf.int32)


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
        # Philox scrambles its key, so a sum is enough to separate streams. It takes a
        # tenth of the time of `fold_in` in a loop over draws.
        return self.key + tf.constant([part, layer.noise_salt])

    def member_of(self, num_members):
        """Member of a mixture: of all rows if coherent, otherwise of the first row.

        The next row has the next member, and so on. So the member of a row is uniform,
        and all members are used equally often. It does not depend on the layer, so that
        all layers use the same member for a row.
        """
        if self.member is not None:
            return self.member % num_members
        word = words([], self.key + tf.constant([0, -1]))  # No salt is negative.
        return tf.cast(word % tf.constant(num_members, tf.uint32), tf.int32)

    def rows(self, shape):
        """Shape of the noise for a batch of `shape`: `(1, ...)` if coherent."""
        return (1, *shape[1:]) if self.coherent else shape


@contextlib.contextmanager
def draws(key, coherent=False, count=1, member=None):
    """Turns on noise for the layers that are called (or traced) inside."""
    outer, _SCOPE.draw = current(), Draw(key, coherent, count, member)
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
    return tf.random.stateless_uniform(
        shape, key, minval=None, maxval=None, dtype=tf.uint32, alg="philox")


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
