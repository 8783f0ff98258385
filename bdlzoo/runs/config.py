"""Config files: where they are, and how they are read."""

import importlib.util
import pathlib

_PACKAGE = pathlib.Path(__file__).parents[1]
# Inside the package where it is installed, beside it in a checkout.
CONFIGS = (_PACKAGE if (_PACKAGE / "configs").is_dir() else _PACKAGE.parent) / "configs"


def read_config(path, variant=""):
    """Reads a config file.

    Args:
        path: Path of the file, absolute or below `configs/`.
        variant: What stands behind the colon of `--config=FILE:VARIANT`.

    Returns:
        `ml_collections.ConfigDict`.
    """
    path = CONFIGS / path
    spec = importlib.util.spec_from_file_location(f"config_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.get_config(variant) if variant else module.get_config()


def plain(config):
    """A config as plain dictionaries and tuples."""
    return config.to_dict() if hasattr(config, "to_dict") else dict(config)
