"""Arguments of `fit` that a config names beside its data.

    augmentation=dict(type="PairedAugmentation", zoom=0.3)
    class_weight="median_frequency"
"""

from bdlzoo import data
from bdlzoo.core import registry
from bdlzoo.runs.build import data_options
from bdlzoo.runs.config import plain


def fit_options(config, model, y):
    """Reads the arguments of `fit` for a config.

    Args:
        config: `ConfigDict` that `read_config` returned.
        model: The model that is trained.
        y: Training targets.

    Returns:
        Dictionary of arguments.
    """
    options, weighing = {}, config.get("class_weight")
    if config.get("augmentation") is not None:
        options["augmentation"] = registry.build(plain(config.augmentation))
    if weighing == "median_frequency":
        classes = data.describe(**data_options(config)).num_classes
        options["class_weight"] = data.median_frequency_weights(
            y, classes, getattr(model.likelihood, "ignore_class", None))
    elif weighing is not None:
        raise ValueError("Expected 'median_frequency', or None for equal weights. "
                         f"Received: class_weight={weighing!r}")
    return options
