"""Data sets as numpy arrays, and their epochs as `tf.data`."""

from bdlzoo.data.epochs import epochs
from bdlzoo.data.load import Description, describe, load
from bdlzoo.data.split import Split

__all__ = ["Description", "Split", "describe", "epochs", "load"]
