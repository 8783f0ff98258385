#!/usr/bin/env bash
# Makes the virtual environment of this checkout, once; sourced by the others.
# Leaves the path of its Python in $PYTHON.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PYTHON="$ROOT/.venv/bin/python"
stamp="$ROOT/.venv/installed"
if [ ! -f "$stamp" ] || [ "$ROOT/setup.cfg" -nt "$stamp" ]; then
  base=$(command -v python3.11 || command -v python3) || {
    echo "Expected Python 3.11 or newer on the path, found none." >&2; exit 1; }
  "$base" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Expected Python 3.11 or newer. Found: $("$base" --version)" >&2; exit 1; }
  echo "Setting up $ROOT/.venv (once, a few minutes) ..."
  "$base" -m venv "$ROOT/.venv"
  "$PYTHON" -m pip install --quiet --disable-pip-version-check -e "$ROOT[test]"
  touch "$stamp"
fi
export TF_CPP_MIN_LOG_LEVEL="${TF_CPP_MIN_LOG_LEVEL:-2}"
