"""Writes scalars and figures to a run of MLflow."""

import importlib


class MLflowTracker:
    """Writes to the active run of MLflow, or to a new one, which it then ends.

    The server and the experiment are those that MLflow is set to, by
    `mlflow.set_tracking_uri` or its environment variables.

    Args:
        run_name: Name of a new run; `None` lets MLflow choose it.

    Example:

        tracker = bdlzoo.reports.MLflowTracker(run_name="dropout")
        report = bdlzoo.reports.Report(x_val, y_val, to=tracker)
    """

    def __init__(self, run_name=None):
        self.run_name = run_name
        _library()  # Raises if it is missing.

    def begin(self, facts):
        """Opens a run if there is none; `facts` is a dictionary of settings."""
        self._is_own = _library().active_run() is None
        if self._is_own:
            _library().start_run(run_name=self.run_name)
        _library().log_params(facts)

    def scalars(self, numbers, epoch):
        """Writes a dictionary of numbers by name."""
        _library().log_metrics(numbers, step=epoch)

    def figure(self, name, figure, epoch):
        """Writes a `matplotlib.figure.Figure` as an artifact of the run."""
        _library().log_figure(figure, f"{name}/{epoch:04d}.png")

    def end(self):
        """Ends the run if it was opened here."""
        if self._is_own:
            _library().end_run()


def _library():
    # Not an attribute: tuners copy callbacks, and a module has no copy.
    try:
        return importlib.import_module("mlflow")
    except ImportError as error:
        raise ImportError("Expected the package mlflow: run `pip install mlflow`. "
                          f"Received: {error}") from error
