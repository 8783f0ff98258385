"""Data sets as NumPy arrays, and epochs of them as `tf.data`."""

from bdlzoo.data.epochs import epochs
from bdlzoo.data.experience import Experience
from bdlzoo.data.folds import Folds, load_folds
from bdlzoo.data.keep_labels import keep_labels
from bdlzoo.data.load import Description, available, class_names, describe, load
from bdlzoo.data.split import Split

__all__ = ["Description", "Experience", "Folds", "Split", "available", "class_names",
           "describe", "epochs", "keep_labels", "load", "load_folds"]
