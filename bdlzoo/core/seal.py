"""A seal at the end of a file: what the file is, and a checksum of all of it.

    content of the file
    facts       JSON
    length      of the facts, 8 digits
    checksum    SHA-256 of all that stands before it, 64 hexadecimal digits
    mark        14 bytes

HDF5 does not read what stands after its content. In a zip file the seal is the comment.
So other programs read sealed files as before.
"""

import hashlib
import json
import os
import struct

_MARK = b"bdlzoo seal 1\n"
_TAIL = 64 + 8 + len(_MARK)
_ZIP_END = b"PK\x05\x06"  # Start of the last 22 bytes of a zip without a comment.
_MOST = 65535  # Longest comment of a zip.
_CHUNK = 2**20


def seal(path, facts):
    """Adds a seal to a file that has none.

    Args:
        path: Path of the file.
        facts: Dictionary for JSON, what the file is.
    """
    text = json.dumps(facts, sort_keys=True).encode()
    with open(path, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 22))
        if file.read(4) == _ZIP_END:
            if len(text) + _TAIL > _MOST:
                raise ValueError(f"Expected facts of at most {_MOST - _TAIL} bytes in "
                                 f"a zip. Received: {len(text)} bytes for {path}")
            file.seek(-2, os.SEEK_END)
            file.write(struct.pack("<H", len(text) + _TAIL))
        file.seek(0, os.SEEK_END)
        file.write(text + b"%08d" % len(text))
        checksum = _checksum(file, size + len(text) + 8)
        file.seek(0, os.SEEK_END)
        file.write(checksum + _MARK)


def facts_of(path):
    """Checks a sealed file, and returns its facts.

    Args:
        path: Path of a file.

    Returns:
        Dictionary; `None` for a file without a seal, such as an older one.

    Raises:
        ValueError: If the file has changed since it was sealed.
    """
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        tail = file.read()
        if not tail.endswith(_MARK):
            return None
        length, checksum = tail[:8], tail[8:72]
        if _checksum(file, size - _TAIL + 8) != checksum:
            raise ValueError("its checksum differs, so it was damaged or changed "
                             "after it was written")
        file.seek(size - _TAIL - int(length))
        return json.loads(file.read(int(length)))


def _checksum(file, size):
    """Checksum of the first bytes of an open file."""
    found = hashlib.sha256()
    file.seek(0)
    while size > 0:
        part = file.read(min(size, _CHUNK))
        if not part:
            break
        found.update(part)
        size -= len(part)
    return found.hexdigest().encode()
