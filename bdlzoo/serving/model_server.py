"""Serves the newest version of each model, and looks for newer versions.

A new version is loaded and warmed up while the old one still serves, and replaces it
when it can answer. A version that cannot be loaded changes nothing: the newest one that
can be loaded serves, and the error is in the status. It is tried again when its files
have changed.
"""

import dataclasses
import gc
import pathlib
import threading

from absl import logging

from bdlzoo.serving import version_folders, warm_up
from bdlzoo.serving.limits import Limits
from bdlzoo.serving.served_version import ServedVersion
from bdlzoo.serving.serving_error import ServingError


@dataclasses.dataclass
class VersionStatus:
    """State of a version."""

    version: int
    state: str  # "LOADING", "AVAILABLE" or "END".
    error_code: str = "OK"
    error_message: str = ""


class ModelServer:
    """Serves models to the front ends, `RESTServer` and `GRPCServer`.

    Args:
        models: Dictionary from the name of a model to the folder of its versions.
        max_batch_size: Integer, most rows of a request, as on a server that joins
            requests to batches; `None` for a server without batching.
        poll_seconds: Float, time between two searches for new versions.
        limits: `Limits` of requests; `None` for the usual ones.
    """

    def __init__(self, models, max_batch_size=None, poll_seconds=1.0, limits=None):
        self.folders = {name: pathlib.Path(path) for name, path in models.items()}
        self.max_batch_size = max_batch_size
        self.poll_seconds = poll_seconds
        self.limits = limits or Limits()
        self._serving = {}  # Name to (number, version), which are replaced as a pair.
        self._status = {name: {} for name in models}
        self._tried = {name: {} for name in models}  # Number to mark and success.
        self._left_out = set()
        self._turns = threading.BoundedSemaphore(self.limits.answers)
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._keep_looking, daemon=True)

    def start(self):
        """Loads the newest versions, and begins to look for newer ones.

        Raises:
            ValueError: If a model has no version that can be loaded.
        """
        self.refresh()
        for name, folder in self.folders.items():
            if name not in self._serving:
                errors = [s.error_message for s in self._status[name].values()]
                raise ValueError(
                    "Expected a folder with versions of a SavedModel, 1, 2, ...: "
                    "write one with `bdlzoo export`. Received: "
                    f"model {name} in {folder}, {errors or 'without any'}")
        self._watch.start()

    def stop(self):
        """Ends the search for versions; loaded versions still answer."""
        self._ended.set()
        if self._watch.ident is not None:
            self._watch.join(timeout=5)  # Loading a version may take longer.

    def refresh(self):
        """Looks for versions once, and loads the newest that can be loaded."""
        for name, folder in self.folders.items():
            found, left_out = version_folders.find(folder)
            for place, reason in left_out.items():
                if (name, place) not in self._left_out:
                    self._left_out.add((name, place))
                    logging.warning("A folder of model %s is not served. %s. Received: "
                                    "%s", name, reason, folder / place)
            for number in sorted(found, reverse=True):
                if self._serves(name, number, found[number]):
                    break

    def _serves(self, name, number, path):
        """Whether a version serves now, after an attempt to load it if it is new."""
        now = self._serving.get(name, (None, None))[0]
        mark = version_folders.mark(path)
        known, succeeded = self._tried[name].get(number, (None, False))
        if mark == known and (number == now or not succeeded):
            return number == now
        succeeded = self._load(name, number, path, now)
        self._tried[name][number] = mark, succeeded
        # Where a version was replaced by a bad one, the good one is still loaded.
        return succeeded or number == now

    def version(self, name, number=None):
        """Returns the number and the `ServedVersion` of a model.

        The version still answers after a newer one has replaced it.

        Args:
            name: String, name of the model.
            number: Integer; `None` for the newest version.
        """
        found = self._serving.get(name)
        if found is None or number not in (None, found[0]):
            which = f"Latest({name})" if number is None else (
                f"Specific({name}, {number})")
            raise ServingError("NOT_FOUND",
                               f"Servable not found for request: {which}")
        return found

    def run(self, version, inputs, signature="", outputs=()):
        """Answers one request with a version.

        Args:
            version: `ServedVersion` that `version` returned.
            inputs: Dictionary of arrays by name.
            signature: String, name of the signature; the default one if empty.
            outputs: Names of the outputs to compute; all of them if empty.

        Returns:
            Dictionary of arrays by name.
        """
        if self.max_batch_size is not None:
            self._check_batch(inputs)
        draws = version.draws(inputs)
        self.limits.check(inputs, draws)
        self.limits.check_answer(version.signature(signature).outputs,
                                 version.open_sizes(inputs, signature), draws)
        with self._turns:
            return version.run(inputs, signature, outputs)

    def status(self, name, number=None):
        """List of `VersionStatus` of one version, or of all versions.

        Args:
            name: String, name of the model.
            number: Integer; `None` for all versions.
        """
        known = dict(self._status.get(name, {}))
        if number is not None:
            known = {key: known[key] for key in known if key == number}
        if not known:
            which = "any versions" if number is None else f"version {number}"
            raise ServingError("NOT_FOUND", f"Could not find {which} of model {name}")
        return [known[key] for key in sorted(known)]

    def _load(self, name, number, path, before):
        """Loads a version and lets it serve; returns whether that went well."""
        status = self._status[name]
        if number != before:
            status[number] = VersionStatus(number, "LOADING")
        try:
            version = ServedVersion(path)
            warm_up.replay(version)
        except Exception as error:  # The other versions still serve.
            logging.warning("Version %d of model %s cannot be served: %s", number,
                            name, error)
            code = error.code if isinstance(error, ServingError) else "UNKNOWN"
            if number != before:
                status[number] = VersionStatus(number, "END", code, str(error))
            return False
        self._serving[name] = number, version
        status[number] = VersionStatus(number, "AVAILABLE")
        if before not in (None, number):
            status[before] = VersionStatus(before, "END")
        gc.collect()  # Graphs hold themselves, and the memory of the old one is large.
        return True

    def _check_batch(self, inputs):
        """Raises an error if a request cannot become part of a batch."""
        sizes = {name: len(tensor) if tensor.ndim else None
                 for name, tensor in inputs.items()}
        if None in sizes.values() or len(set(sizes.values())) > 1:
            raise ServingError(
                "INVALID_ARGUMENT", "Expected inputs with the same number of rows, "
                f"since this server batches. Received: rows={sizes}")
        rows = max(sizes.values(), default=0)
        if rows > self.max_batch_size:
            raise ServingError("INVALID_ARGUMENT", f"Task size {rows} is larger than "
                               f"maximum input batch size {self.max_batch_size}")

    def _keep_looking(self):
        while not self._ended.wait(self.poll_seconds):
            try:
                self.refresh()
            except Exception:  # The folder may be readable again next time.
                logging.exception("Looking for versions failed")
