"""Configs, and the data, models and training runs that they describe."""

from bdlzoo.runs.agent_run import AgentRun, learning_curves, load_world
from bdlzoo.runs.build import load_data, load_model, load_network
from bdlzoo.runs.config import CONFIGS, config_names, find_config, read_config
from bdlzoo.runs.folds import FoldsRun, SelectedRun, filled, open_run, reopen
from bdlzoo.runs.history_file import HistoryFile, read_history
from bdlzoo.runs.run import Run
from bdlzoo.runs.side_sets import load_side_set

__all__ = ["AgentRun", "CONFIGS", "FoldsRun", "HistoryFile", "Run", "SelectedRun",
           "config_names", "filled", "find_config", "learning_curves", "load_data",
           "load_model", "load_network", "load_side_set", "load_world", "open_run",
           "read_config", "read_history", "reopen"]
