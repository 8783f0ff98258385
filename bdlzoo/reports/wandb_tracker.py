"""Writes scalars and figures to a run of Weights & Biases."""

import importlib


class WandbTracker:
    """Writes to the active run of Weights & Biases, or to a new one, then ended.

    Args:
        **settings: Arguments of `wandb.init` for a new run, such as `project` and
            `mode="offline"`.
    """

    def __init__(self, **settings):
        self.settings = settings
        try:
            self._library = importlib.import_module("wandb")
        except ImportError as error:
            raise ImportError("Expected the package wandb: run `pip install wandb`. "
                              f"Received: {error}") from error

    def begin(self, facts):
        """Opens a run if there is none; `facts` is a dictionary of settings."""
        self._is_own = self._library.run is None
        self._run = self._library.init(**self.settings) if self._is_own else (
            self._library.run)
        self._run.config.update(facts)

    def scalars(self, numbers, epoch):
        """Writes a dictionary of numbers by name."""
        # The steps of a run are its own, and others may write to it too.
        self._run.log({**numbers, "epoch": epoch})

    def figure(self, name, figure, epoch):
        """Writes a `matplotlib.figure.Figure` as an image."""
        self._run.log({name: self._library.Image(figure), "epoch": epoch})

    def end(self):
        """Ends the run if it was opened here."""
        if self._is_own:
            self._run.finish()
