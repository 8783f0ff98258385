"""All randomness of the zoo: Philox words, and what is made of them.

    key   = seed, purpose, step, stream, draw, salt    counters, no state
    words = philox(key)                                uint32, nothing else

TensorFlow's float samplers give other numbers under XLA than without, its raw
words the same bits everywhere; so the floats are made here. A model opens a
scope for one draw, and the layers inside ask it for their key:

    with noise.draws(noise.key(seed, noise.PREDICT), coherent=True):
        outputs = network(inputs, training=False)
"""

import contextlib
import math
import threading
import typing

import numpy as np
import tensorflow as tf

# The first counter: what the stream is for.
TRAIN, PREDICT, ORDER, ATTACK, SETS, INITIAL, ANCHOR, DISTIL = range(8)
_SHIFTS = np.arange(32, dtype="uint32")  # `tf.range` has no uint32 kernel.
_SIGN, _ONE = np.array([-0.0, 1.0], "float32").view("uint32")  # Bits of floats.
# Of the rational function by which `_coarse` goes from a uniform to a normal: fitted
# to its quantiles, so that the moments 2, 4 and 6 of all its values are 1, 3 and 15.
_COARSE_TOP = (-0.30052, 1.3859242, 0.28943331, 1.0158401e-3)
_COARSE_POLES = (0.10669, 0.0024006)
# A cubic of the odd numbers that a byte can be, o (o**2 + shift): with this shift
# its kurtosis is that of a normal.
_ODD_BYTES, _ODD = np.uint32(0x01010101), np.arange(-127.0, 128.0, 2.0)
_SHIFT = 5614.0
_CUBIC_UNIT = 1.0 / np.std(_ODD * (_ODD**2 + _SHIFT))
_SCOPE = threading.local()  # Each replica is traced in a thread of its own.


def key(seed, *counters):
    """Key of an integer seed, or of a pair of them, and its counters.

    A seed is half of a pair whose other half is 0; the counters are folded in,
    so that a seed from a request never reaches Philox raw.
    """
    pair = tf.reshape(tf.cast(seed, tf.int32), [-1])
    return fold_in(tf.concat([pair, [0]], axis=0)[:2], *counters)


def fold_in(key, *counters):
    """Key of the stream `counters` below `key`."""
    for counter in counters:
        key = tf.random.experimental.stateless_fold_in(
            key, tf.cast(counter, tf.int32), alg="philox")
    return key


def split(key, count):
    """Keys of `count` draws below `key`, `[count, 2]`; fewer are the first."""
    return tf.bitcast(words([count, 2], key), tf.int32)


class Draw(typing.NamedTuple):
    """One draw of everything random in a network."""

    key: tf.Tensor
    coherent: bool  # One mask or weight for the batch, or one for each row.
    count: int = 1  # Draws stacked in the batch, each with weights of its own.
    member: tf.Tensor | None = None  # Of mixtures; `None` leaves it to the key.

    def key_of(self, layer, part=0):
        """Key of a layer, or of one of its parts (kernel, bias, signs).

        A shared layer, called twice, keeps its noise: one draw, one net.
        """
        if not hasattr(layer, "noise_salt"):
            raise ValueError(
                "Expected a layer with a salt: call `conversion.adopt` on its "
                f"network first. Received: layer={layer.name}")
        # Philox scrambles what it is given: a sum is enough to part streams,
        # and takes a tenth of the time of `fold_in` in a loop over draws.
        return self.key + tf.constant([part, layer.noise_salt])

    def member_of(self, num_members):
        """Member of a mixture: of all rows if coherent, else of the first row.

        The next row has the next member, and so on in turn: that of a row is
        uniform, and all are asked equally often. It is no matter of a layer, so
        that all layers of a row agree.
        """
        if self.member is not None:
            return self.member % num_members
        word = words([], self.key + tf.constant([0, -1]))  # No salt is negative.
        return tf.cast(word % tf.constant(num_members, tf.uint32), tf.int32)

    def rows(self, shape):
        """Shape of the noise on a batch of `shape`, `(1, ...)` if coherent."""
        return (1, *shape[1:]) if self.coherent else shape


@contextlib.contextmanager
def draws(key, coherent=False, count=1, member=None):
    """Turns noise on for the layers called (or traced) inside."""
    outer, _SCOPE.draw = current(), Draw(key, coherent, count, member)
    try:
        yield
    finally:
        _SCOPE.draw = outer


def current():
    """The `Draw` of the innermost scope, `None` outside of all."""
    return getattr(_SCOPE, "draw", None)


def _size(shape):
    """Numbers in a shape: a constant where it is known, less work in a loop."""
    if tf.is_tensor(shape) or not all(isinstance(dim, int) for dim in shape):
        return tf.reduce_prod(shape)
    return math.prod(shape)


def _first(values, size):
    """The first `size` numbers; all of them, without a copy, if so many."""
    if isinstance(size, int) and values.shape.num_elements() == size:
        return values
    return tf.reshape(values, [-1])[:size]


def words(shape, key):
    """Raw random bits, the same with and without XLA."""
    return tf.random.stateless_uniform(
        shape, key, minval=None, maxval=None, dtype=tf.uint32, alg="philox")


def uniform(shape, key):
    """Uniforms strictly inside (0, 1)."""
    # 23 bits and a half lie inside (0, 1); 24 would round up to 1 at the top.
    top = tf.bitwise.right_shift(words(shape, key), np.uint32(9))
    return (tf.cast(top, tf.float32) + 0.5) * 2.0**-23


def row_uniform(inputs, key):
    """A uniform for each row of inputs, a function of the row and the key.

    Alone, in a batch or behind a server that pads it, a row keeps its number.
    This is multilinear hashing: with factors of 64 random bits the upper bits
    of any two different rows are independent.
    """
    parts = [tf.reshape(_numbers(part), [tf.shape(part)[0], -1])
             for part in tf.nest.flatten(inputs)]
    bits = tf.cast(tf.bitcast(tf.concat(parts, axis=1), tf.uint32), tf.int64)
    factors = tf.bitcast(words([tf.shape(bits)[1] + 1, 2], key), tf.int64)
    # Sums of integers wrap around and have no rounding: any order is right.
    hashes = factors[0] + tf.reduce_sum(factors[1:] * bits, axis=1)
    top = tf.bitwise.right_shift(tf.bitcast(hashes, tf.uint64), np.uint64(41))
    return (tf.cast(tf.cast(top, tf.int32), tf.float32) + 0.5) * 2.0**-23


def _numbers(part):
    part = tf.convert_to_tensor(part)
    if part.dtype == tf.string:
        part = tf.strings.to_hash_bucket_fast(part, 2**24)
    return tf.cast(part, tf.float32)


def normal(shape, key):
    """Box-Muller: plain and XLA agree to 5e-7, the inverse only to 2e-5."""
    size = _size(shape)
    radius, angle = tf.unstack(uniform([2, (size + 1) // 2], key))
    radius, angle = tf.sqrt(-2.0 * tf.math.log(radius)), math.tau * angle
    both = tf.concat([radius * tf.cos(angle), radius * tf.sin(angle)], axis=0)
    return tf.reshape(_first(both, size), shape)


def coarse_normal(shape, key):
    """Normals on 65,536 equally likely values, two from a word.

    For noise on weights in training, drawn by the million: under XLA a seventh of
    the cost of `normal`. The first seven moments are those of a normal, its
    distribution function is met to 0.001, and the largest value is 3.9.
    """
    size = _size(shape)
    return tf.reshape(_first(_coarse(words([(size + 1) // 2], key)), size), shape)


# One loop by XLA in graph mode too, where each operation would be a pass over all.
@tf.function(input_signature=[tf.TensorSpec([None], tf.uint32)], autograph=False,
             jit_compile=True)
def _coarse(word):
    cells = tf.concat([tf.bitwise.bitwise_and(word, np.uint32(0xFFFF)),
                       tf.bitwise.right_shift(word, np.uint32(16))], axis=0)
    # By int32: from unsigned numbers the cast to floats is slow.
    middles = tf.cast(tf.cast(cells, tf.int32), tf.float32) * 2.0**-15
    middles += 2.0**-16 - 1.0  # Of cells of (-1, 1).
    edge = (1.0 - middles) * (1.0 + middles)
    first, second = _COARSE_POLES
    top = tf.math.polyval(list(_COARSE_TOP), edge)
    return middles * top / ((first + edge) * (second + edge))


def cubic_normal(shape, key, scale=1.0):
    """Noise on 128 values with the first five moments of a normal, four a word.

    For noise that thousands of steps add up, as that of samplers: schemes for
    stochastic differential equations see its moments only (Kloeden and Platen,
    1992), and it costs a fifth of a normal. The largest value is 2.3.

    Args:
        shape: Sequence of integers, or tensor.
        key: Key of the stream.
        scale: Scalar, standard deviation.
    """
    return cubic(odd_bytes(shape, key), scale)


def odd_bytes(shape, key):
    """Odd integers from -127 to 127, equally often, as `int8`: see `cubic`."""
    size = _size(shape)
    odd = tf.bitwise.bitwise_or(words([(size + 3) // 4], key), _ODD_BYTES)
    return tf.reshape(_first(tf.bitcast(odd, tf.int8), size), shape)


def cubic(odd, scale=1.0):
    """What `cubic_normal` makes of `odd_bytes`."""
    values, unit = tf.cast(odd, tf.float32), _CUBIC_UNIT * scale
    return values * (unit * tf.square(values) + unit * _SHIFT)


def gumbel(shape, key):
    """Standard Gumbel variables, always finite."""
    return -tf.math.log(-tf.math.log(uniform(shape, key)))


def mask(shape, rate, key):
    """False with probability `rate` (in steps of 1/65536), else true."""
    size = _size(shape)
    # Drawing words is what takes time: eight bits where they are enough.
    few = rate * 256 == round(rate * 256)
    kind, count = (tf.uint8, 4) if few else (tf.uint16, 2)
    parts = tf.bitcast(words([(size + count - 1) // count], key), kind)
    limit = min(round(rate * 2**(32 // count)), kind.max)
    keep = parts >= tf.constant(limit, kind)
    return tf.reshape(_first(keep, size), shape)


def signs(shape, key):
    """Rademacher signs, 32 from a word."""
    size = _size(shape)
    # Each bit in turn becomes the sign bit of a one.
    bits = tf.bitwise.left_shift(words([(size + 31) // 32, 1], key), _SHIFTS)
    ones = tf.bitwise.bitwise_or(tf.bitwise.bitwise_and(bits, _SIGN), _ONE)
    return tf.reshape(_first(tf.bitcast(ones, tf.float32), size), shape)


def permutation(size, key):
    """Random order of `0, ..., size - 1`."""
    # A stable sort of words: ties, one in 2**32 a pair, keep their order.
    return tf.argsort(tf.cast(words([size], key), tf.int64), stable=True)
