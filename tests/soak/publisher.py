"""Publishes versions of a served model, breaks some, and replaces them."""

import collections
import pathlib
import random
import shutil
import time

from bdlzoo.model import saved_model
from tests.serving import broken_versions

_KEPT = 4  # Versions that stay; older ones are removed.
_PAUSE = 3.0  # Most seconds between two versions.


class Publisher:
    """Changes the versions of one model, which all give the same answers.

    Args:
        folder: Folder of the served model, with one whole version.
        seed: Integer.
    """

    def __init__(self, folder, seed):
        self.folder = pathlib.Path(folder)
        self.counts = collections.Counter()
        self._rng = random.Random(seed)
        # Aside, so that it is never served nor broken.
        self._whole = self.folder.parent / ".whole" / "1"
        shutil.copytree(broken_versions.newest(self.folder), self._whole)

    def step(self):
        """Makes one change after a pause."""
        time.sleep(self._rng.uniform(0.2, _PAUSE))
        kind, way = self._rng.random(), self._rng.choice(broken_versions.WAYS)
        newest = broken_versions.newest(self.folder)
        if kind < 0.4:
            broken_versions.publish_copy(self.folder, self._whole)
            self.counts["published"] += 1
        elif kind < 0.7:
            broken_versions.publish_broken(self.folder, self._whole, way)
            self.counts["published broken"] += 1
        elif kind < 0.85:
            broken_versions.replace(newest, self._whole)
            self.counts["replaced"] += 1
        else:
            broken_versions.replace(newest, self._whole)
            broken_versions.break_version(newest, way)
            self.counts["broken in place"] += 1
        self._remove_old()

    def _remove_old(self):
        """Removes the oldest versions, but for the first, which is whole."""
        for number in saved_model.versions(self.folder)[1:-_KEPT]:
            shutil.rmtree(self.folder / str(number))
            self.counts["removed"] += 1
