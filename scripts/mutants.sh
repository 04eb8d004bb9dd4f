#!/usr/bin/env bash
# Changes one token of an evaluator at a time and tells which test notices; see scripts/mutants.py.
#
#   scripts/mutants.sh [--count 60] [--seed 1] [--group high-level|low-level|lowering|loops|FILES...]
#
# It works on a copy of the tree under build/mutants; the sources stay as they are.

set -euo pipefail

if ! command -v python3 >/dev/null; then
  printf 'mutants: needs python3 (3.9 or later); apt-get install python3\n' >&2
  exit 3
fi
exec python3 "$(dirname "${BASH_SOURCE[0]}")/mutants.py" "$@"
