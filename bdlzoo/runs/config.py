"""Finds and reads config files."""

import difflib
import importlib.util
import pathlib

_PACKAGE = pathlib.Path(__file__).resolve().parents[1]
# Inside of an installed package; beside the package in a checkout.
CONFIGS = (_PACKAGE if (_PACKAGE / "configs").is_dir() else _PACKAGE.parent) / "configs"


def config_names():
    """Names of the configs of the zoo, such as `digits/mc_dropout.py`, in order.

    Example:

        print(*bdlzoo.runs.config_names())
    """
    return sorted(path.relative_to(CONFIGS).as_posix()
                  for path in CONFIGS.glob("*/*.py") if path.parent.name != "base")


def find_config(name):
    """Finds a config file of the user or of the zoo.

    Args:
        name: Path of a file, or the name of a config of the zoo, with or without
            `configs/` in front. A variant may follow, as in `FILE:VARIANT`.

    Returns:
        String, the path and the variant.

    Raises:
        FileNotFoundError: If there is no such file; the message has similar names.
        ValueError: If a config of the zoo has no such variant.

    Example:

        path = bdlzoo.runs.find_config("digits/mc_dropout.py")
    """
    name = str(name)
    if pathlib.Path(name).is_file():
        return name
    path, colon, variant = name.partition(":")
    short = path.removeprefix("configs/")
    for found in (pathlib.Path(path), CONFIGS / short):
        if found.is_file():
            _check_variant(found, variant)
            return f"{found}{colon}{variant}"
    close = difflib.get_close_matches(short, config_names(), cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else (
        "`bdlzoo list configs` lists all.")
    raise FileNotFoundError(
        "Expected the path of a config file, or the name of a config of the zoo: "
        f"{hint} Received: config={name}")


def _check_variant(path, variant):
    """Raises an error if a variant changes nothing, such as a misspelt one."""
    if not variant or CONFIGS not in path.resolve().parents:
        return
    try:
        known = read_config(path.resolve(), variant) != read_config(path.resolve())
    except TypeError:  # The config has no variants.
        known = False
    if not known:
        raise ValueError("Expected a variant of the config, such as smoke, or "
                         f"none. Received: config={path}:{variant}")


def read_config(path, variant=""):
    """Reads a config file.

    Args:
        path: Path of the file, absolute or below `configs/`.
        variant: String, the part after the colon in `--config=FILE:VARIANT`.

    Returns:
        `ml_collections.ConfigDict`.

    Example:

        config = bdlzoo.runs.read_config("digits/mc_dropout.py", "smoke")
    """
    path = CONFIGS / path
    spec = importlib.util.spec_from_file_location(f"config_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.get_config(variant) if variant else module.get_config()


def plain(config):
    """A config as plain dictionaries and tuples."""
    return config.to_dict() if hasattr(config, "to_dict") else dict(config)
