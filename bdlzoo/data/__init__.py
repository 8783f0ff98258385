"""Data sets as NumPy arrays, and epochs of them as `tf.data`."""

from bdlzoo.data.class_counts import with_class_counts
from bdlzoo.data.epochs import epochs
from bdlzoo.data.experience import Experience
from bdlzoo.data.fit_images import fit_images
from bdlzoo.data.fit_masks import fit_masks
from bdlzoo.data.folds import Folds, load_folds
from bdlzoo.data.keep_labels import keep_labels
from bdlzoo.data.load import Description, available, class_names, describe, load
from bdlzoo.data.median_frequency_weights import median_frequency_weights
from bdlzoo.data.paired_augmentation import PairedAugmentation
from bdlzoo.data.scenes import Scenes, draw_scenes
from bdlzoo.data.split import Split
from bdlzoo.data.table_file import read_table, table_splits

__all__ = ["Description", "Experience", "Folds", "PairedAugmentation", "Scenes",
           "Split", "available", "class_names", "describe", "draw_scenes", "epochs",
           "fit_images", "fit_masks", "keep_labels", "load", "load_folds",
           "median_frequency_weights", "read_table", "table_splits",
           "with_class_counts"]
