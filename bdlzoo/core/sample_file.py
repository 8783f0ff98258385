"""File of weight samples, for more samples than memory can hold.

    header    512 bytes: JSON that identifies the network and the run of the samples
    samples   float32 [chains, D] and a checksum of 4 bytes for each time, in the order
              of time, read as a memory map

Whole samples are appended to a file. When it is opened, an incomplete or damaged file
and a file of another network are errors. Files of format 1 have no checksums.
"""

import hashlib
import json
import os
import pathlib
import zlib

import numpy as np
from absl import logging

from bdlzoo.core.differences import differences
from bdlzoo.core.file_error import FileError
from bdlzoo.core.full_disk import explained_full_disk

_HEADER = 512
_FORMATS = ("bdlzoo samples 1", "bdlzoo samples 2")
_EXPECTED = "a whole file of samples of this network"
_ADVICE = "Take the file of this run, or start the run again with another name."


class SampleFile:
    """Stores samples of the chains of one network.

    Args:
        path: Path of the file.
        flat: `FlatWeights` of the network.
        num_chains: Integer, number of chains.
        facts: Dictionary, what else identifies the run, such as its seed; a file with
            other values is refused, unless only `version` differs. `None` for nothing.
    """

    def __init__(self, path, flat, num_chains=1, facts=None):
        self.path = pathlib.Path(path)
        self._shape = (num_chains, flat.size)
        layout = json.dumps([list(shape) for shape in flat.shapes])
        self._header = {"format": _FORMATS[1], "chains": num_chains, "size": flat.size,
                        "layout": hashlib.sha256(layout.encode()).hexdigest(),
                        **(facts or {})}
        self._facts = set(facts or ())
        self._aside = self.path.with_name(f".new-{self.path.name}")
        self._place = self.path  # Where samples are written now.

    @property
    def sample_bytes(self):
        """Bytes of one sample of all chains, with its checksum."""
        return self._record(self._header["format"]).itemsize

    def begin(self):
        """Makes an empty file as `create` does, which `publish` gives its name.

        A run that is killed before its first checkpoint begins again, and replaces it.
        """
        self._check_new()
        self._place = self._aside
        self._write_header()

    def is_begun(self):
        """Whether there is a file, published or not."""
        return self.path.exists() or self._aside.exists()

    def publish(self):
        """Gives a file that was begun its name."""
        if self._place != self.path:
            os.replace(self._place, self.path)
            self._place = self.path

    def create(self):
        """Makes an empty file; raises a `ValueError` if the file exists."""
        self._check_new()
        self._write_header()

    def _check_new(self):
        if self.path.exists():
            raise ValueError(
                "Expected a new file, because this one may hold samples of another "
                f"run. Move it, or choose another name. Received: {self.path}")

    def _write_header(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        content = {**self._header, "checksum": _of_header(self._header)}
        with explained_full_disk(self.path):
            self._place.write_bytes(json.dumps(content).encode().ljust(_HEADER))

    def append(self, samples):
        """Adds finite samples `[n, chains, D]`."""
        samples = np.ascontiguousarray(samples, "float32")
        if samples.shape[1:] != self._shape:
            raise ValueError(f"Expected samples of shape {(None, *self._shape)}. "
                             f"Received: shape={samples.shape}")
        if not np.isfinite(samples).all():
            raise FloatingPointError(
                "Expected samples of finite weights: lower the learning rate. "
                f"Received: NaN or infinity in a sample for {self.path}")
        records = np.empty(len(samples), self._record(self._header["format"]))
        records["sample"] = samples
        if "checksum" in records.dtype.names:
            records["checksum"] = [zlib.crc32(sample) for sample in samples]
        with explained_full_disk(self.path), open(self._place, "ab") as file:
            file.write(records.tobytes())

    def flush(self):
        """Waits until all samples are on the disk."""
        with explained_full_disk(self.path), open(self._place, "r+b") as file:
            os.fsync(file.fileno())

    def resume(self, count):
        """Removes all but the first `count` samples, from which a run continues."""
        if self._aside.exists() and not self.path.exists():
            os.replace(self._aside, self.path)  # Killed just before it was published.
        whole = self._whole()
        if whole < count:
            raise ValueError(
                f"Expected the {count} samples that were kept so far. Received: "
                f"{self.path} with {whole} samples; start the run again")
        self._read(count)
        os.truncate(self.path, _HEADER + count * self.sample_bytes)

    def samples(self):
        """All samples as a read-only memory map `[n, chains, D]`."""
        whole = self._whole()
        rest = self.path.stat().st_size - _HEADER - whole * self.sample_bytes
        if rest:
            raise ValueError(
                f"Expected whole samples of {self.sample_bytes} bytes. Received: "
                f"{self.path}, cut short: {whole} whole samples and {rest} bytes. "
                f"Continue its run, or call `resume({whole})` to drop the rest")
        return self._read(whole)

    def _read(self, count):
        """The first samples, once their checksums are right."""
        if not count:
            return np.zeros((0, *self._shape), "float32")
        found = np.memmap(self.path, self._record(self._header["format"]), "r",
                          _HEADER, (count,))
        if "checksum" in found.dtype.names:
            for place, record in enumerate(found):
                if zlib.crc32(record["sample"].tobytes()) != record["checksum"]:
                    raise FileError(self.path, _EXPECTED, _ADVICE,
                                    f"the checksum of sample {place} differs")
        return found["sample"]

    def _record(self, kind):
        checked = [("checksum", "<u4")] if kind != _FORMATS[0] else []
        return np.dtype([("sample", "<f4", self._shape), *checked])

    def _whole(self):
        """Number of whole samples in a file of this network."""
        header = self._read_header()
        asked = ("chains", "size", "layout")
        if [header.get(key) for key in asked] != [self._header[key] for key in asked]:
            raise ValueError(
                "Expected samples of this network and its "
                f"{self._shape[0]} chains of {self._shape[1]} weights. Received: "
                f"{self.path}, of {header.get('chains')} chains of "
                f"{header.get('size')} weights" + " in other layers" * (
                    (header.get("chains"), header.get("size")) == self._shape))
        self._check_facts(header)
        self._header["format"] = header["format"]
        return (self.path.stat().st_size - _HEADER) // self.sample_bytes

    def _check_facts(self, header):
        there, here = ({key: each[key] for key in self._facts & {*header}}
                       for each in (header, self._header))
        found = list(differences(there, here))
        if there.get("version") != here.get("version"):
            found = [words for words in found if not words.startswith("version ")]
            logging.warning("%s was written by bdlzoo %s; this is bdlzoo %s.",
                            self.path, there["version"], here["version"])
        if found:
            raise FileError(self.path, _EXPECTED, _ADVICE,
                            f"it is of another model: {'; '.join(found)}")

    def _read_header(self):
        try:
            with open(self.path, "rb") as file:
                header = json.loads(file.read(_HEADER))
        except OSError as error:
            raise ValueError("Expected a file of samples. Received: "
                             f"{self.path}, with the error: {error.strerror}"
                             ) from error
        except ValueError:
            header = {}
        if not isinstance(header, dict) or header.get("format") not in _FORMATS:
            raise ValueError("Expected a file of samples, such as a sampler writes "
                             f"to its `sample_file`. Received: {self.path}")
        if header["format"] == _FORMATS[0] and "checksum" not in header:
            logging.log_first_n(logging.WARNING, "%s has no checksums: an earlier "
                                "version wrote it.", 1, self.path)
        elif header.pop("checksum", None) != _of_header(header):
            raise FileError(self.path, _EXPECTED, _ADVICE,
                            "the checksum of its header differs")
        return header


def _of_header(header):
    return zlib.crc32(json.dumps(header, sort_keys=True).encode())
