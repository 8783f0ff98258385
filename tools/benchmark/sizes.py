"""Sections whose workloads are sizes of one quantity."""

from tools.benchmark.section import Contender, Growth, Section, Workload

LINEAR = 1.05  # The largest exponent that counts as 1: times are noisy.


def contender(label, subject, role="ours"):
    """A contender of the worker that knows all of these sections."""
    return Contender(label, "growth", ("graph",), subject, role)


def section(title, note, axis, sizes, contenders, share, limit=None):
    """A section with one workload for each size.

    Args:
        title: String, the headline.
        note: String, see `Section`.
        axis: String, the quantity that grows, in the plural.
        sizes: Tuple of integers, ascending.
        contenders: Dictionary of `Contender`.
        share: Float, see `Workload`.
        limit: Float, see `Growth`.
    """
    names = {f"{axis}{size}": size for size in sizes}
    return Section(
        title=title, note=note, contenders=contenders,
        workloads={name: Workload(counted(size, axis), share)
                   for name, size in names.items()},
        growth=Growth(axis, names, tuple(contenders), limit))


def counted(size, axis):
    """A size and its unit in words: `1 draw`, `1,600 units`."""
    return f"{size:,} {axis if size != 1 else axis.removesuffix('s')}"
