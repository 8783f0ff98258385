"""Data sets as NumPy arrays, and epochs of them as `tf.data`."""

from bdlzoo.data.class_counts import with_class_counts
from bdlzoo.data.epochs import epochs
from bdlzoo.data.experience import Experience
from bdlzoo.data.fit_images import fit_images
from bdlzoo.data.folds import Folds, load_folds
from bdlzoo.data.load import Description, available, class_names, describe, load
from bdlzoo.data.split import Split

__all__ = ["Description", "Experience", "Folds", "Split", "available", "class_names",
           "describe", "epochs", "fit_images", "load", "load_folds",
           "with_class_counts"]
