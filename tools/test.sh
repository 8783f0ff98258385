#!/usr/bin/env bash
# Sets up, then runs the tests.
#   tools/test.sh             the default suite
#   tools/test.sh --slow      the long checks as well
#   tools/test.sh --mutants   plants faults and sees that the tests find them
#   tools/test.sh ARGS...     anything else goes to pytest
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"
# Two workers, each with one thread: more would wait for one another. A file stays
# with one worker: what its tests share is made once.
in_parallel() {
  TF_NUM_INTRAOP_THREADS=1 TF_NUM_INTEROP_THREADS=1 \
    "$PYTHON" -m pytest -n 2 --dist=loadfile "$@"
}
case "${1:-}" in
  --mutants) shift; exec "$PYTHON" -m tests.mutants "$@" ;;
  --slow) shift; in_parallel "$@"
          exec "$PYTHON" -m pytest -m slow "$@" ;;  # Timings want the machine alone.
  *) in_parallel "$@" ;;
esac
