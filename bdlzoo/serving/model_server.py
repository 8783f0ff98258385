"""Models by name, the newest version of each, and a watch for newer ones.

As TF Serving does by default: a version that appears is loaded and warmed up
beside the one that serves, and takes its place once it answers. One that cannot
be loaded changes nothing; its error stands in the status.
"""

import dataclasses
import pathlib
import threading

from absl import logging

from bdlzoo.model import saved_model
from bdlzoo.serving import warm_up
from bdlzoo.serving.served_version import ServedVersion
from bdlzoo.serving.serving_error import ServingError


@dataclasses.dataclass
class VersionStatus:
    """What became of a version."""

    version: int
    state: str  # "LOADING", "AVAILABLE" or "END".
    error_code: str = "OK"
    error_message: str = ""


class ModelServer:
    """Serves models to the front ends, `RESTServer` and `GRPCServer`.

    Args:
        models: Dictionary, name to the folder with the versions of a model.
        max_batch_size: Integer, most rows of a request, as of a server that
            batches; `None` for no such server.
        poll_seconds: Float, time between looks for new versions.
    """

    def __init__(self, models, max_batch_size=None, poll_seconds=1.0):
        self.folders = {name: pathlib.Path(path) for name, path in models.items()}
        self.max_batch_size = max_batch_size
        self.poll_seconds = poll_seconds
        self._serving = {}  # Name to (number, version); swapped, never changed.
        self._status = {name: {} for name in models}
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._keep_looking, daemon=True)

    def start(self):
        """Loads what is there and begins to look for more.

        Raises:
            ValueError: Where a model has no version that can be loaded.
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
        """Ends the watch; what was loaded still answers."""
        self._ended.set()
        self._watch.join()

    def refresh(self):
        """Looks once for versions, and loads the newest."""
        for name, folder in self.folders.items():
            status = self._status[name]
            found = [number for number in saved_model.versions(folder)
                     if number not in status or status[number].error_code == "OK"]
            now = self._serving.get(name, (None, None))[0]
            if found and found[-1] != now:
                self._load(name, found[-1], now)

    def version(self, name, number=None):
        """Number and `ServedVersion` of a model; who holds it can ask it, even when
        a newer one has taken its place."""
        found = self._serving.get(name)
        if found is None or number not in (None, found[0]):
            which = f"Latest({name})" if number is None else (
                f"Specific({name}, {number})")
            raise ServingError("NOT_FOUND",
                               f"Servable not found for request: {which}")
        return found

    def run(self, version, inputs, signature="", outputs=()):
        """Answers a request by a version that was found; see `ServedVersion.run`."""
        if self.max_batch_size is not None:
            self._check_batch(inputs)
        return version.run(inputs, signature, outputs)

    def status(self, name, number=None):
        """List of `VersionStatus`, of one version or of all."""
        known = dict(self._status.get(name, {}))
        if number is not None:
            known = {key: known[key] for key in known if key == number}
        if not known:
            which = "any versions" if number is None else f"version {number}"
            raise ServingError("NOT_FOUND", f"Could not find {which} of model {name}")
        return [known[key] for key in sorted(known)]

    def _load(self, name, number, before):
        status = self._status[name]
        status[number] = VersionStatus(number, "LOADING")
        try:
            version = ServedVersion(self.folders[name] / str(number))
            warm_up.replay(version)
        except Exception as error:  # Whatever it is, the others serve on.
            logging.warning("Version %d of model %s cannot be served: %s", number,
                            name, error)
            code = error.code if isinstance(error, ServingError) else "UNKNOWN"
            status[number] = VersionStatus(number, "END", code, str(error))
            return
        self._serving[name] = number, version
        status[number] = VersionStatus(number, "AVAILABLE")
        if before is not None:
            status[before] = VersionStatus(before, "END")

    def _check_batch(self, inputs):
        """Refuses what cannot become part of a batch."""
        sizes = {name: len(tensor) if tensor.ndim else None
                 for name, tensor in inputs.items()}
        if None in sizes.values() or len(set(sizes.values())) > 1:
            raise ServingError(
                "INVALID_ARGUMENT", "Expected inputs with as many rows each, since "
                f"this server batches. Received: rows={sizes}")
        rows = max(sizes.values(), default=0)
        if rows > self.max_batch_size:
            raise ServingError("INVALID_ARGUMENT", f"Task size {rows} is larger than "
                               f"maximum input batch size {self.max_batch_size}")

    def _keep_looking(self):
        while not self._ended.wait(self.poll_seconds):
            try:
                self.refresh()
            except OSError:  # Of the folder; it may be back next time.
                logging.exception("Looking for versions failed")
