"""Sets that stand beside the inputs of a run, from the section `side_sets`.

    side_sets=dict(target="usps")
    side_sets=dict(target=dict(name="digits", corruption="Contrast", severity=4))

A set is the name of one, or a dictionary with the name, `limit` (rows of each split),
`class_counts` (pairs of a class and its training rows), options of
`bdlzoo.data.load`, and a corruption with its severity. So a corrupted copy of any set
can be its own target domain. Images get the shape of the inputs.
"""

import numpy as np

from bdlzoo import corruptions as _corruptions  # noqa: F401  Known by name.
from bdlzoo import data
from bdlzoo.core import registry
from bdlzoo.runs.build import chosen_classes
from bdlzoo.runs.config import plain

_ROWS = 1000  # Images that are corrupted at once.


def load_side_set(spec, shape, split="train", data_dir=None):
    """Rows of a side set.

    Args:
        spec: Name of a set, or a dictionary with `name` and options.
        shape: Shape of one input of the run.
        split: `"train"`, `"validation"` or `"test"`.
        data_dir: Folder to read, if the spec names none.

    Returns:
        `Split`.
    """
    options = {"name": spec} if isinstance(spec, str) else plain(spec)
    limit, counts = (options.pop(key, None) for key in ("limit", "class_counts"))
    damage = {key: options.pop(key) for key in ("corruption", "severity")
              if key in options}
    x, y = data.load(**{"split": split, "data_dir": data_dir, **options})
    if counts is not None:
        x, y = chosen_classes(data.Split(x, y), counts, split == "train")
    x, y = x[:limit], y[:limit]
    x = data.fit_images(x, shape) if len(shape) == 3 else x
    return data.Split(_corrupted(x, **damage), y)


def _corrupted(x, corruption=None, severity=3):
    """A corrupted copy of images; without a corruption, the images."""
    if corruption is None:
        return x
    layer = registry.build({"type": corruption, "severity": severity})
    return np.concatenate([np.asarray(layer(x[start:start + _ROWS]))
                           for start in range(0, len(x), _ROWS)])
