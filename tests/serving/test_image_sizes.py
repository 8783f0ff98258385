"""Sizes in headers are those that TensorFlow decodes."""

import random
import struct

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.serving import image_sizes
from bdlzoo.serving.serving_error import ServingError
from tests.serving import fuzz_rest

IMAGE = np.random.default_rng(0).integers(0, 256, (37, 23, 3)).astype("uint8")


@pytest.mark.parametrize("file", [
    tf.io.encode_png(IMAGE).numpy(), tf.io.encode_png(IMAGE[..., :1]).numpy(),
    tf.io.encode_jpeg(IMAGE).numpy(),
    tf.io.encode_jpeg(IMAGE, format="rgb", progressive=True).numpy(),
    tf.io.encode_jpeg(IMAGE[..., :1], "grayscale").numpy(), fuzz_rest.png(37, 23)])
def test_size_is_that_of_the_decoded_image(file):
    assert tf.io.decode_image(file).shape[:2] == (37, 23)
    assert image_sizes.pixels(file) == 37 * 23


def test_changed_jpeg_is_read_as_libjpeg_reads_it():
    whole, rng, decoded = tf.io.encode_jpeg(IMAGE).numpy(), random.Random(0), 0
    for _ in range(300):
        # In the head, where markers are.
        file = fuzz_rest.mutated(rng, whole[:180]) + whole[180:]
        try:
            height, width, _ = tf.io.decode_jpeg(file, try_recover_truncated=True).shape
        except tf.errors.InvalidArgumentError:
            continue
        if file.startswith(b"\xff\xd8\xff"):
            decoded += 1
            assert image_sizes.pixels(file) == height * width
    assert decoded > 30


def test_small_file_of_a_huge_image_is_seen():
    assert image_sizes.pixels(fuzz_rest.png(20000, 20000, rows=0)) == 4 * 10**8
    begin = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc2\x00\x11\x08"
    size = struct.pack(">HH", 65000, 60000)
    assert image_sizes.pixels(begin + size) == 65000 * 60000
    # A marker without content, and bytes that are none.
    begin = b"\xff\xd8\xff\x01\xff\xd0ab\xff\x00\xff\xc0\x00\x11\x08"
    assert image_sizes.pixels(begin + size) == 65000 * 60000


@pytest.mark.parametrize("file", [
    b"", b"text", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"\xff\xd8\xff\xc0\x00",
    b"\xff\xd8\xff\xe0\xff\xff", b"\xff\xd8\xff\xd9\xff\xc0", b"BM" + bytes(60)])
def test_other_bytes_have_no_size(file):
    assert image_sizes.pixels(file) == 0


@pytest.mark.parametrize("file, kind", [
    (b"GIF89a\x60\xea\x60\xea", "GIF"), (b"RIFF\0\0\0\0WEBPVP8 ", "WebP"),
    (b"\xff\x0a\0", "JPEG XL")])
def test_kinds_whose_size_is_not_read_are_refused(file, kind):
    with pytest.raises(ServingError, match=f"PNG or JPEG.*{kind}"):
        image_sizes.pixels(file)
