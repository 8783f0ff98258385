"""Data sets as NumPy arrays, and epochs of them as `tf.data`."""

from bdlzoo.data.epochs import epochs
from bdlzoo.data.experience import Experience
from bdlzoo.data.few_labels import few_labels
from bdlzoo.data.folds import Folds, load_folds
from bdlzoo.data.load import Description, available, class_names, describe, load
from bdlzoo.data.split import Split

__all__ = ["Description", "Experience", "Folds", "Split", "available", "class_names",
           "describe", "epochs", "few_labels", "load", "load_folds"]
