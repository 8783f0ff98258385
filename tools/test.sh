#!/usr/bin/env bash
# Sets up, then runs the tests.
#   tools/test.sh             the default suite
#   tools/test.sh --slow      the long checks as well
#   tools/test.sh --mutants   inserts faults and checks that the tests find them
#   tools/test.sh --soak      loads a server and kills runs for 30 minutes, and counts
#   tools/test.sh ARGS...     anything else goes to pytest
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"
# Two workers with one thread each: more threads would wait for each other. All tests
# of a file run in one worker, so that fixtures of the file are made once.
in_parallel() {
  TF_NUM_INTRAOP_THREADS=1 TF_NUM_INTEROP_THREADS=1 \
    "$PYTHON" -m pytest -n 2 --dist=loadfile "$@"
}
case "${1:-}" in
  --mutants) shift; exec "$PYTHON" -m tests.mutants "$@" ;;
  --soak) shift; exec "$PYTHON" -m tests.soak "$@" ;;
  --slow) shift; in_parallel "$@"
          exec "$PYTHON" -m pytest -m slow "$@" ;;  # Timings need an idle machine.
  *) in_parallel "$@" ;;
esac
