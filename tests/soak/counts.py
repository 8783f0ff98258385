"""What a soak counts."""

import dataclasses
import re

# A request without an answer: the error of the connection, or a code of gRPC.
_LOST = re.compile(r"_\w+: (\w*Error|RemoteDisconnected|BadStatusLine|\w*Exception): |"
                   r".*\b(DEADLINE_EXCEEDED|UNAVAILABLE|CANCELLED)\b")


@dataclasses.dataclass
class Counts:
    """Counts of a soak.

    Attributes:
        answers: Integer, answers to requests.
        requests: List of texts, the faults of requests.
        faults: List of texts, faults elsewhere.
        versions: Dictionary, numbers of versions by what was done with them.
        runs: Dictionary, `kills`, `finished` and `wrong` runs.
        restarted: Integer, servers that had to be started again.
        memory_begin: Float, MB of the server after the warm-up; `None` before.
        memory_most: Float, most MB of the server.
        memory_end: Float, MB of the server at the end.
    """

    answers: int = 0
    requests: list = dataclasses.field(default_factory=list)
    faults: list = dataclasses.field(default_factory=list)
    versions: dict = dataclasses.field(default_factory=dict)
    runs: dict = dataclasses.field(default_factory=dict)
    restarted: int = 0
    memory_begin: float | None = None
    memory_most: float = 0.0
    memory_end: float = 0.0

    @property
    def lost(self):
        """Number of requests that were not answered."""
        return sum(_LOST.match(fault) is not None for fault in self.requests)

    @property
    def wrong(self):
        """Number of wrong answers, of wrong runs, and of faults elsewhere."""
        return (len(self.requests) - self.lost + self.runs.get("wrong", 0)
                + len(self.faults))

    def all_faults(self):
        """Texts of all faults."""
        return [*self.requests, *self.faults]

    def passed(self, most_growth):
        """Whether nothing was lost or wrong.

        Args:
            most_growth: Float, most MB by which the memory may grow.
        """
        growth = self.memory_end - (self.memory_begin or 0.0)
        return bool(self.answers) and not (
            self.lost or self.wrong or self.restarted) and growth <= most_growth

    def __str__(self):
        def words(counts):
            return ", ".join(f"{number} {name}" for name, number in
                             sorted(counts.items())) or "none"

        begin = self.memory_begin or 0.0
        return (f"{self.answers} answers, {self.lost} lost, {self.wrong} wrong, "
                f"{self.restarted} restarted; versions: {words(self.versions)}; "
                f"runs: {words(self.runs)}; memory {begin:.0f} MB at the begin, "
                f"{self.memory_most:.0f} at most, {self.memory_end:.0f} at the end")
