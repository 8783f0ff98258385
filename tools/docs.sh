#!/usr/bin/env bash
# Sets up, then builds the site of the documentation into `site/`, and checks its links.
#   tools/docs.sh                       builds it, without the network
#   tools/docs.sh --widths=400,1400     looks at every page in Chromium too
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$ROOT"
if ! "$PYTHON" -c 'import jupytext, material, mkdocs, mkdocstrings_handlers.python' \
    2> /dev/null; then
  echo "Installing the extra docs (once) ..."
  "$PYTHON" -m pip install --quiet --disable-pip-version-check -e "$ROOT[docs]"
fi
exec "$PYTHON" -m tools.website "$@"
