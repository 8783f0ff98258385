"""Counts of a soak: what is lost, what is wrong, and what passes."""

from tests.soak.counts import Counts


def _counts(**changes):
    return Counts(**{"answers": 9, "memory_begin": 500.0, "memory_end": 520.0,
                     "memory_most": 530.0, **changes})


def test_faults_are_lost_or_wrong_and_none_is_both():
    counts = _counts(requests=[
        "_good_rest: ConnectionResetError: [Errno 104]",
        "_bad_head: RemoteDisconnected: ended", "A good request got UNAVAILABLE",
        "500 of b'x': b'{}'", "INTERNAL of /Predict b''", "key was answered by []"],
        runs={"wrong": 2, "kills": 9}, faults=["OSError in step: x"])
    assert (counts.lost, counts.wrong) == (3, 6)
    assert len(counts.all_faults()) == 7


def test_only_a_soak_without_faults_passes():
    assert _counts().passed(50.0)
    for changes in ({"answers": 0}, {"restarted": 1}, {"memory_end": 600.0},
                    {"requests": ["_a: OSError: b"]}, {"requests": ["500 of b'x'"]},
                    {"runs": {"wrong": 1}}, {"faults": ["a"]}):
        assert not _counts(**changes).passed(50.0), changes


def test_all_counts_are_in_the_last_line():
    text = str(_counts(restarted=2, runs={"kills": 30}, versions={"published": 7}))
    for words in ("9 answers", "0 lost", "0 wrong", "2 restarted", "30 kills",
                  "7 published", "500 MB at the begin", "530 at most",
                  "520 at the end"):
        assert words in text
