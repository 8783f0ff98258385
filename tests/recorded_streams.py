"""Keeps a list of the streams of noise that a model asks for, as it runs."""

import collections
import contextlib
import threading
import typing

import tensorflow as tf

from bdlzoo.core import noise


class Use(typing.NamedTuple):
    """One drawing of numbers: where it ran, and what it was given."""

    replica: int
    state: int
    kind: int
    place: int

    @property
    def stream(self):
        return self[1:]


class Streams(list):
    """Uses of streams, in the order in which they ran."""

    def repeated(self):
        """Uses of a stream that a replica drew before, with how often it did."""
        return {use: count for use, count in collections.Counter(self).items()
                if count > 1}

    def on(self, replica):
        return {use.stream for use in self if use.replica == replica}


@contextlib.contextmanager
def recorded(monkeypatch):
    """Records all streams from which words are drawn, in graphs and outside.

    Functions have to be traced inside of the block. Keys that are only made, and
    members of mixtures, which all layers of a draw share, are not in the list.
    """
    found, lock, bits = Streams(), threading.Lock(), noise._bits

    def drawn(shape, state, stream, dtype=tf.uint32):
        if dtype == tf.uint32 and int(stream[0]) >> 56 != noise._MEMBER:
            context = tf.distribute.get_replica_context()
            replica = getattr(context, "replica_id_in_sync_group", 0)

            def note(replica, state, stream):
                with lock:
                    found.append(Use(int(replica), int(state[0]), int(stream[0]) >> 56,
                                     int(stream[1])))

            tf.numpy_function(note, [replica, state, stream], [])
        return bits(shape, state, stream, dtype)

    with monkeypatch.context() as patch:
        patch.setattr(noise, "_bits", drawn)
        yield found
