"""Writes scalars and figures to a run of Weights & Biases."""

import importlib


class WandbTracker:
    """Writes to the active run of Weights & Biases, or to a new one, then ended.

    Args:
        **settings: Arguments of `wandb.init` for a new run, such as `project` and
            `mode="offline"`.

    Example:

        tracker = bdlzoo.reports.WandbTracker(project="digits", mode="offline")
        report = bdlzoo.reports.Report(x_val, y_val, to=tracker)
    """

    def __init__(self, **settings):
        self.settings = settings
        _library()  # Raises if it is missing.

    def begin(self, facts):
        """Opens a run if there is none; `facts` is a dictionary of settings."""
        self._is_own = _library().run is None
        self._run = _library().init(**self.settings) if self._is_own else (
            _library().run)
        self._run.config.update(facts)

    def scalars(self, numbers, epoch):
        """Writes a dictionary of numbers by name."""
        # The steps of a run are its own, and others may write to it too.
        self._run.log({**numbers, "epoch": epoch})

    def figure(self, name, figure, epoch):
        """Writes a `matplotlib.figure.Figure` as an image."""
        self._run.log({name: _library().Image(figure), "epoch": epoch})

    def end(self):
        """Ends the run if it was opened here."""
        if self._is_own:
            self._run.finish()


def _library():
    # Not an attribute: tuners copy callbacks, and a module has no copy.
    try:
        return importlib.import_module("wandb")
    except ImportError as error:
        raise ImportError("Expected the package wandb: run `pip install wandb`. "
                          f"Received: {error}") from error
