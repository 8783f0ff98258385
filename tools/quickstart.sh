#!/usr/bin/env bash
# Sets up, then trains, evaluates, exports and runs a model on the bundled digits.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"
exec "$PYTHON" -m tools.quickstart "$@"
