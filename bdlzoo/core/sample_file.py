"""File of weight samples, for more samples than memory can hold.

    header    512 bytes: JSON that identifies the network of the samples
    samples   float32 [n, chains, D], in the order of time, read as a memory map

Whole samples are appended to a file. When it is opened, an incomplete file and a file
of another network are errors.
"""

import hashlib
import json
import os
import pathlib

import numpy as np

_HEADER = 512
_FORMAT = "bdlzoo samples 1"


class SampleFile:
    """Stores samples of the chains of one network.

    Args:
        path: Path of the file.
        flat: `FlatWeights` of the network.
        num_chains: Integer, number of chains.
    """

    def __init__(self, path, flat, num_chains=1):
        self.path = pathlib.Path(path)
        self._shape = (num_chains, flat.size)
        layout = json.dumps([list(shape) for shape in flat.shapes])
        self._header = {"format": _FORMAT, "chains": num_chains, "size": flat.size,
                        "layout": hashlib.sha256(layout.encode()).hexdigest()}

    @property
    def sample_bytes(self):
        """Bytes of one sample of all chains."""
        return 4 * self._shape[0] * self._shape[1]

    def create(self):
        """Makes an empty file; raises a `ValueError` if the file exists."""
        if self.path.exists():
            raise ValueError(
                "Expected a new file, because this one may hold samples of another "
                f"run. Move it, or choose another name. Received: {self.path}")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(json.dumps(self._header).encode().ljust(_HEADER))

    def append(self, samples):
        """Adds samples `[n, chains, D]`."""
        samples = np.ascontiguousarray(samples, "float32")
        if samples.shape[1:] != self._shape:
            raise ValueError(f"Expected samples of shape {(None, *self._shape)}. "
                             f"Received: shape={samples.shape}")
        with open(self.path, "ab") as file:
            file.write(samples.tobytes())

    def resume(self, count):
        """Removes all but the first `count` samples, from which a run continues."""
        whole = self._whole()
        if whole < count:
            raise ValueError(
                f"Expected the {count} samples that were kept so far. Received: "
                f"{self.path} with {whole} samples; start the run again")
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
        if not whole:
            return np.zeros((0, *self._shape), "float32")
        return np.memmap(self.path, "float32", "r", _HEADER, (whole, *self._shape))

    def _whole(self):
        """Number of whole samples in a file of this network."""
        try:
            with open(self.path, "rb") as file:
                header = json.loads(file.read(_HEADER))
        except OSError as error:
            raise ValueError("Expected a file of samples. Received: "
                             f"{self.path}, with the error: {error.strerror}"
                             ) from error
        except ValueError:
            header = {}
        if not isinstance(header, dict) or header.get("format") != _FORMAT:
            raise ValueError("Expected a file of samples, such as a sampler writes "
                             f"to its `sample_file`. Received: {self.path}")
        if header != self._header:
            raise ValueError(
                "Expected samples of this network and its "
                f"{self._shape[0]} chains of {self._shape[1]} weights. Received: "
                f"{self.path}, of {header['chains']} chains of {header['size']} "
                "weights" + " in other layers" * (
                    (header["chains"], header["size"]) == self._shape))
        return (self.path.stat().st_size - _HEADER) // self.sample_bytes
