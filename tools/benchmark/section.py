"""What a section of `tools.benchmark` is made of."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Contender:
    """One library.

    Args:
        label: What it is called.
        worker: Module below `tools/benchmark/workers`.
        modes: Ways to run it; its best one is compared.
        subject: First word of what the worker is told, where it knows several
            subjects, such as the methods of the zoo; `None` where it has one.
    """

    label: str
    worker: str
    modes: tuple
    subject: str | None = None


@dataclasses.dataclass(frozen=True)
class Workload:
    """One task that contenders are timed at.

    Args:
        title: Headline.
        share: Float, share of `--steps`, for a task with long steps, or short ones.
        only: Tuple of names of contenders, where not all of them are timed.
    """

    title: str
    share: float = 1.0
    only: tuple = ()


@dataclasses.dataclass(frozen=True)
class Target:
    """A bound on the time of one contender over that of another.

    Args:
        workload: Name of the workload.
        other: Name of the other contender.
        limit: Float, largest ratio that is good enough.
        goal: Float, ratio that is aimed at, where it is another one.
        ours: Name of the one contender; `None` is the first.
        rivals: Pair of names. The ratio is divided by that of their times: who
            pays less for the same, each beside the baseline of its own library.
    """

    workload: str
    other: str
    limit: float
    goal: float | None = None
    ours: str | None = None
    rivals: tuple | None = None


@dataclasses.dataclass(frozen=True)
class Agreement:
    """A bound on how far what the first contender finds is from another's.

    Args:
        workload: Name of the workload.
        other: Name of the other contender.
        fact: Name of what both find.
        limit: Float, largest difference that is good enough.
    """

    workload: str
    other: str
    fact: str
    limit: float


@dataclasses.dataclass(frozen=True)
class Growth:
    """How time and memory should grow over the workloads of a section.

    Args:
        axis: What grows.
        sizes: Dictionary, how large it is in each workload, ascending: a process
            remembers the most memory it has had.
        contenders: Names of those who should grow no faster; others are shown.
        limit: Float, largest exponent that is good enough; `None` for none.
        budget: Float, megabytes that none of them may exceed; `None` for none.
    """

    axis: str
    sizes: dict
    contenders: tuple
    limit: float | None = None
    budget: float | None = None


@dataclasses.dataclass(frozen=True)
class Section:
    """Contenders by name, ours first, and what they are timed at.

    Args:
        title: Headline.
        note: What a step is, and how it is timed.
        contenders: Dictionary of `Contender`.
        workloads: Dictionary of `Workload`.
        targets: Tuple of `Target`.
        agreements: Tuple of `Agreement`.
        growth: `Growth`, where the workloads are sizes of one thing.
        together: Bool, whether subjects of one worker share its process: many
            small ones need not each have a TensorFlow.
        limits: Bool, whether to say what arithmetic alone would take; the facts
            of the contenders count it, and the first one has nothing else to do.
    """

    title: str
    note: str
    contenders: dict
    workloads: dict
    targets: tuple = ()
    agreements: tuple = ()
    growth: Growth | None = None
    together: bool = False
    limits: bool = False
