"""Trained models that come with the package, each in a folder with its card."""

from bdlzoo.model.preset_files import available, card_of, load_preset
from bdlzoo.presets.figures import figures

__all__ = ["available", "card_of", "figures", "load_preset"]
