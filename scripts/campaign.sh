#!/usr/bin/env bash
# Random programs, machines and configurations through all evaluators and back ends, for as long as
# one likes; see scripts/campaign.py.
#
#   scripts/campaign.sh [--minutes 60] [--seed 1] [--save build/campaign]
#
# Prints how many cases ran where, the seeds, what failed and how often each rule of the planner was
# made use of. A case that fails is shrunk and saved. Exit code 1 if there is one.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v python3 >/dev/null; then
  printf 'campaign: needs python3 (3.9 or later); apt-get install python3\n' >&2
  exit 3
fi
for argument in "$@"; do
  case $argument in
    -h | --help | --self-test) exec python3 scripts/campaign.py "$@" ;;
  esac
done
scripts/setup.sh test
cmake --preset release >/dev/null
cmake --build --preset release --target campaign "-j$(nproc)" >/dev/null
exec python3 scripts/campaign.py "$@"
