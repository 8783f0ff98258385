"""Plants each fault in a copy of the project, where its tests must fail.

    tools/test.sh --mutants [WORDS]

The copy without the fault must pass. Words choose faults by the path of their file.
"""

import concurrent.futures
import multiprocessing
import os
import pathlib
import shutil
import sys
import tempfile

from tests.mutants import ROOT, lost, mutants
from tests.mutants._fork import LOG, test_copy

# Libraries are imported once, what is tested in every fork anew.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tensorflow", "tensorflow_probability", "keras"])


def survives(file, right, wrong, tests):
    """Returns whether the tests pass on a copy with the fault in it."""
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(ROOT, copy, dirs_exist_ok=True, ignore=_left_out)
        path = pathlib.Path(copy, file)
        text = path.read_text()
        path.write_text(text.replace(right, wrong))
        process = FORKS.Process(target=test_copy, args=(copy, tests.split()))
        process.start()
        process.join()
        # 1 is a failed test; all else means that nothing was tested.
        assert process.exitcode in (0, 1), (
            f"{tests} ended with {process.exitcode}: "
            f"{pathlib.Path(copy, LOG).read_text()[-2000:]}")
        return process.exitcode == 0


def _left_out(folder, names):
    """Names that are not copied: of a checkout, and of all folders the caches."""
    patterns = [".git", ".venv*", "runs"] if pathlib.Path(folder) == ROOT else []
    return shutil.ignore_patterns("__pycache__", *patterns)(folder, names)


def main(words):
    chosen = [m for m in mutants() if not words or any(w in m[0] for w in words)]
    assert not lost(chosen), f"not there exactly once: {lost(chosen)}"
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # The control: without the fault, the same copy passes.
        controls = list({m[3]: m for m in chosen}.values())
        whole = pool.map(lambda m: survives(m[0], m[1], m[1], m[3]), controls)
        for mutant, passes in zip(controls, whole, strict=True):
            assert passes, f"broken without a fault: {mutant[3]}"
        print(f"{len(controls)} controls pass", flush=True)
        alive = []
        for count, (mutant, lives) in enumerate(zip(
                chosen, pool.map(lambda m: survives(*m), chosen), strict=True), 1):
            file, right, wrong, _ = mutant
            verdict = "ALIVE " if lives else "killed"
            print(f"{count:3d}/{len(chosen)} {verdict} {file}: {right} -> {wrong}",
                  flush=True)
            alive += [mutant] if lives else []
    print(f"{len(chosen) - len(alive)} of {len(chosen)} killed")
    return bool(alive)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
