#!/usr/bin/env bash
# Sets up, then runs the tests.
#   tools/test.sh             the default suite
#   tools/test.sh --slow      the long checks as well
#   tools/test.sh --mutants   plants faults and sees that the tests find them
#   tools/test.sh ARGS...     anything else goes to pytest
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"
case "${1:-}" in
  --mutants) shift; exec "$PYTHON" tests/mutants.py "$@" ;;
  --slow) shift; "$PYTHON" -m pytest -n 2 --dist=loadfile "$@"
          exec "$PYTHON" -m pytest -m slow "$@" ;;  # Timings want the machine alone.
  # A file stays with one worker: what its tests share is made once.
  *) exec "$PYTHON" -m pytest -n 2 --dist=loadfile "$@" ;;
esac
