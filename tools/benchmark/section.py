"""Parts of a section of the benchmarks."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Contender:
    """One program that is timed.

    Args:
        label: String, its name on the pages.
        worker: String, its module below `tools/benchmark/workers`.
        modes: Tuple of strings, ways to run it. The best one is compared.
        subject: String, first word of the commands to a worker that knows several
            subjects, such as the methods of the zoo; `None` where it knows one.
        role: String. "ours" is a part of the zoo, "plain" the deterministic network,
            "library" another library, "other" the same work done in another way.
        beside: Tuple of strings, names of the contenders of ours that it is compared
            with on the summary page; empty for all of them.
    """

    label: str
    worker: str
    modes: tuple
    subject: str | None = None
    role: str = "ours"
    beside: tuple = ()


@dataclasses.dataclass(frozen=True)
class Workload:
    """One task that the contenders are timed at.

    Args:
        title: String, the headline.
        share: Float, factor on `--steps`: small for long steps, large for short ones.
        only: Tuple of strings, the contenders that are timed; empty for all.
    """

    title: str
    share: float = 1.0
    only: tuple = ()


@dataclasses.dataclass(frozen=True)
class Target:
    """An upper bound on the time of one contender over that of another.

    Args:
        workload: String, name of the workload.
        other: String, name of the other contender.
        limit: Float, the largest ratio that is good enough.
        goal: Float, a smaller ratio to aim at; `None` for none.
        ours: String, name of the one contender; `None` is the first.
        rivals: Pair of strings; `None` for none. The ratio is divided by the ratio
            of their times. This compares the extra cost of two libraries, each
            relative to the baseline in the same library.
    """

    workload: str
    other: str
    limit: float
    goal: float | None = None
    ours: str | None = None
    rivals: tuple | None = None


@dataclasses.dataclass(frozen=True)
class Agreement:
    """An upper bound on the difference between two results.

    Args:
        workload: String, name of the workload.
        other: String, name of the contender that the first one is compared with.
        fact: String, name of the result.
        limit: Float, the largest difference that is good enough.
    """

    workload: str
    other: str
    fact: str
    limit: float


@dataclasses.dataclass(frozen=True)
class Growth:
    """An upper bound on the growth of time and memory over sizes.

    Args:
        axis: String, the quantity that grows.
        sizes: Dictionary, name of a workload to its size. Ascending, because a
            process reports the largest memory that it has used so far.
        contenders: Tuple of strings, names that the bound holds for. Others are
            shown without one.
        limit: Float, the largest exponent that is good enough; `None` for none.
        budget: Float, the largest memory in megabytes; `None` for none.
    """

    axis: str
    sizes: dict
    contenders: tuple
    limit: float | None = None
    budget: float | None = None


@dataclasses.dataclass(frozen=True)
class Section:
    """Contenders, and the workloads that they are timed at.

    Args:
        title: String, the headline.
        note: String that says what a step is and how it is timed.
        contenders: Dictionary, name to `Contender`; ratios are to the first.
        workloads: Dictionary, name to `Workload`.
        targets: Tuple of `Target`.
        agreements: Tuple of `Agreement`.
        growth: `Growth`, where the workloads are sizes of one thing.
        together: Bool, whether all subjects of a worker share one process. It saves
            memory where there are many. The contenders of ours are then methods.
        limits: Bool, whether the pages show the time of the arithmetic alone. The
            workers then count it, and the first contender is the plain network.
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

    def ours(self):
        """Names of the contenders that are part of the zoo."""
        return [name for name, contender in self.contenders.items()
                if contender.role == "ours"]

    def compared(self, ours, role):
        """Names of the contenders of a role that one of ours is compared with."""
        return [name for name, contender in self.contenders.items()
                if contender.role == role and ours in (contender.beside or (ours,))]
