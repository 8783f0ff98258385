"""Random numbers in numpy that are functions of a seed and of counters.

    word = hash(seed, counter, counter, ...)        64 bits

They are for code that runs outside of TensorFlow one small step at a time, such as
worlds and searches: a call costs microseconds. There is no state to save or to restore:
the same seed and counters give the same number, in any order and in any batch.

All seeds and counters may be arrays, which broadcast. The mixing is the finaliser of
SplitMix64, once for each of them.
"""

import numpy as np

# The first counter of agents, below the seed of their worlds: what noise is for.
ACTION, DRAW, CHANCE, REPLAY = range(4)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIXING = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
           (np.uint64(27), np.uint64(0x94D049BB133111EB)))
_LAST, _TOP = np.uint64(31), np.uint64(11)


def words(seeds, *counters):
    """Random words of 64 bits.

    Args:
        seeds: Integer, or array of integers.
        *counters: Further integers or arrays of integers; all broadcast.

    Returns:
        Array of uint64.
    """
    with np.errstate(over="ignore"):  # Products are meant to wrap.
        state = _mixed(_unsigned(seeds) + _GOLDEN)
        for counter in counters:
            state = _mixed((state ^ _mixed(_unsigned(counter) * _GOLDEN)) + _GOLDEN)
    return state


def uniform(seeds, *counters):
    """Numbers between 0 and 1, neither of which is reached.

    Args:
        seeds: Integer, or array of integers.
        *counters: Further integers or arrays of integers; all broadcast.
    """
    top = (words(seeds, *counters) >> _TOP).astype("float64")  # 53 bits
    # The largest would round to 1.
    return np.minimum((top + 0.5) * 2.0**-53, 1.0 - 2.0**-53)


def integers(count, seeds, *counters):
    """Whole numbers from 0 to `count - 1`.

    Args:
        count: Integer, or array of integers.
        seeds: Integer, or array of integers.
        *counters: Further integers or arrays of integers; all broadcast.
    """
    return (uniform(seeds, *counters) * count).astype("int64")


def exponential(seeds, *counters):
    """Numbers of the exponential distribution with mean 1.

    Args:
        seeds: Integer, or array of integers.
        *counters: Further integers or arrays of integers; all broadcast.
    """
    return -np.log(uniform(seeds, *counters))


def gumbel(seeds, *counters):
    """Standard Gumbel numbers, whose mean is Euler's constant.

    Args:
        seeds: Integer, or array of integers.
        *counters: Further integers or arrays of integers; all broadcast.
    """
    return -np.log(exponential(seeds, *counters))


def normal(seeds, *counters):
    """Standard normal numbers, by the method of Box and Muller.

    Args:
        seeds: Integer, or array of integers.
        *counters: Further integers or arrays of integers; all broadcast.
    """
    radius = np.sqrt(2.0 * exponential(seeds, *counters, 0))
    return radius * np.cos(2.0 * np.pi * uniform(seeds, *counters, 1))


def _unsigned(integers):
    return np.asarray(integers, "int64").astype("uint64")


def _mixed(state):
    for shift, factor in _MIXING:
        state = (state ^ (state >> shift)) * factor
    return state ^ (state >> _LAST)
