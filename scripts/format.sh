#!/usr/bin/env bash
# Formats the C++ sources in place; with --check it only compares, and fails on a difference.
# Never give clang-format an .mdh file by hand: it takes it for C++ (.clang-format-ignore tells
# versions from 18 on).
# The reference is clang-format 14 (CLANG_FORMAT names another program): other versions format a
# little differently, so the check is skipped there.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=${CLANG_FORMAT:-}
if [[ -z $program ]]; then
  program=$(command -v clang-format-14 || command -v clang-format || true)
fi

major=none
if [[ -n $program ]]; then
  major=$("$program" --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
fi

sources() {
  local folder
  for folder in mdh tools examples bench tests; do
    if [[ -d $folder ]]; then
      find "$folder" \( -name '*.h' -o -name '*.cpp' \) -print0
    fi
  done
}

case ${1:-} in
  --check)
    if [[ $major != 14 ]]; then
      printf 'SKIP format check: needs clang-format 14, found %s\n' "$major" >&2
      exit 0
    fi
    if ! sources | xargs -0 -r "$program" --dry-run -Werror; then
      printf 'format: run scripts/format.sh\n' >&2
      exit 1
    fi
    ;;
  "")
    if [[ $major == none ]]; then
      printf 'format: no clang-format; apt-get install clang-format\n' >&2
      exit 3
    fi
    if [[ $major != 14 ]]; then
      printf 'format: warning: the reference is clang-format 14, this is %s\n' "$major" >&2
    fi
    sources | xargs -0 -r "$program" -i
    ;;
  *)
    printf 'usage: scripts/format.sh [--check]\n' >&2
    exit 2
    ;;
esac
