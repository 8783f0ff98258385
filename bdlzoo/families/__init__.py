"""Parts that the methods of one family share."""

from bdlzoo.families.path_model import PathModel

__all__ = ["PathModel"]
