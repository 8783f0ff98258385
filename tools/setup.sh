#!/usr/bin/env bash
# Makes the virtual environment of this checkout, once; the other scripts source it.
# Sets $PYTHON to the path of its Python.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PYTHON="$ROOT/.venv/bin/python"
stamp="$ROOT/.venv/installed"
if [ ! -f "$stamp" ] || [ "$ROOT/setup.cfg" -nt "$stamp" ]; then
  base=
  for name in python3.11 python3.12 python3.13 python3; do
    if "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
        2> /dev/null; then base=$name; break; fi
  done
  if [ -z "$base" ]; then
    echo "Expected Python 3.11, 3.12 or 3.13 on the path." \
      "Received: $(python3 --version 2>&1 || true)" >&2
    exit 1
  fi
  echo "Setting up $ROOT/.venv (once, a few minutes) ..."
  "$base" -m venv "$ROOT/.venv"
  "$PYTHON" -m pip install --quiet --disable-pip-version-check -e "$ROOT[test]"
  touch "$stamp"
fi
export TF_CPP_MIN_LOG_LEVEL="${TF_CPP_MIN_LOG_LEVEL:-2}"
