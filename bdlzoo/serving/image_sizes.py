"""Sizes of images, read from the first bytes of their files.

A small file can hold a large image, so that the size is judged before it is decoded.
"""

import struct

from bdlzoo.serving.serving_error import ServingError

_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
# Kinds that TensorFlow can decode, and whose size is not in a fixed place.
_OTHERS = {"GIF": b"GIF8", "JPEG XL": b"\xff\x0a",
           "JPEG XL in a container": b"\0\0\0\x0cJXL "}


def pixels(file):
    """Number of pixels of an image; 0 for other bytes.

    BMP files are not compressed, so that they count as other bytes.

    Args:
        file: Bytes of a file.
    """
    if file.startswith(_PNG):
        width, height = struct.unpack(">II", file[16:24].ljust(8, b"\0"))
        return width * height
    if file.startswith(_JPEG):
        return _pixels_of_jpeg(file)
    kind = "WebP" if file[:4] == b"RIFF" and file[8:12] == b"WEBP" else next(
        (kind for kind, begin in _OTHERS.items() if file.startswith(begin)), None)
    if kind is not None:
        raise ServingError("INVALID_ARGUMENT",
                           f"Expected PNG or JPEG files. Received: {kind}")
    return 0


def _pixels_of_jpeg(file):
    """Width times height in the first header of a frame; 0 if there is none."""
    place = 2
    while True:
        # As libjpeg does, skip what is no marker, and all bytes 255 before one.
        place = file.find(b"\xff", place)
        while 0 <= place < len(file) and file[place] == 0xFF:
            place += 1
        if not 0 < place < len(file) - 2:
            return 0
        marker, place = file[place], place + 1
        if marker in (0x00, 0x01) or 0xD0 <= marker <= 0xD8:  # They have no content.
            continue
        if marker in (0xD9, 0xDA):  # The end, or the pixels.
            return 0
        [length] = struct.unpack(">H", file[place:place + 2])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", file[place + 3:place + 7].ljust(
                4, b"\0"))
            return width * height
        place += max(length, 2)
