"""Groups of rows, each with a threshold of its own (Mondrian conformal prediction).

Coverage holds in each group, and not only on average over them: of patients of either
sex, of images of each camera. A group must be known before the target is.

Reference: Vovk, Lindsay, Nouretdinov and Gammerman, Mondrian Confidence Machine, 2003.
"""

import numpy as np

_ALL = "all rows"  # The group of rows where none are given.


def rows_of(groups, num_rows):
    """Places of the rows of each group.

    Args:
        groups: Groups of the rows `[B]`, integers or strings; `None` for one of all.
        num_rows: Integer, number of rows.

    Returns:
        Dictionary from a group to the places of its rows.
    """
    groups = _checked(groups, num_rows)
    return {group.item(): np.flatnonzero(groups == group)
            for group in np.unique(groups)}


def fitted(function, rows):
    """What a function finds for each group, with the group in its errors.

    Args:
        function: Function from the places of rows to what is fitted to them.
        rows: Dictionary from a group to the places of its rows.

    Returns:
        Dictionary from a group to what the function returned.
    """
    found = {}
    for group, places in rows.items():
        try:
            found[group] = function(places)
        except ValueError as error:
            if group == _ALL:
                raise
            raise ValueError(f"{error}, in group {group!r}") from None
    return found


def of_rows(found, groups, num_rows):
    """What was fitted to the group of each row.

    Args:
        found: Dictionary from a group to numbers, or to arrays of one shape.
        groups: Groups of the rows `[B]`, or `None`.
        num_rows: Integer, number of rows.

    Returns:
        Array `[B, ...]`.
    """
    if groups is None and _ALL not in found:
        raise ValueError(f"Expected the groups of the rows, among {list(found)}, since "
                         "there were groups in `fit`. Received: groups=None")
    groups = _checked(groups, num_rows)
    known = list(found)
    new = [group for group in np.unique(groups) if group.item() not in found]
    if new:
        raise ValueError(f"Expected groups that `fit` has seen: {known}. Received: "
                         f"groups with {new[0].item()!r}")
    places = {group: place for place, group in enumerate(known)}
    values = np.stack([np.asarray(found[group]) for group in known])
    return values[[places[group.item()] for group in groups]]


def _checked(groups, num_rows):
    if groups is None:
        return np.full(num_rows, _ALL)
    groups = np.asarray(groups)
    if groups.shape != (num_rows,) or groups.dtype.kind not in "iuUb":
        raise ValueError(
            "Expected an integer or a string for each row, its group. Received: groups "
            f"of shape {groups.shape} and type {groups.dtype} with {num_rows} rows")
    return groups
