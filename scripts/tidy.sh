#!/usr/bin/env bash
# Runs clang-tidy over the given sources, or over all of mdh/.
#
#   scripts/tidy.sh [file.cpp ...]
#
# The compile commands come from a configuration of its own, build/tidy: the precompiled headers of
# a build are in the format of its compiler, which clang-tidy cannot read.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if ! command -v clang-tidy >/dev/null; then
  printf 'tidy: no clang-tidy; apt-get install clang-tidy\n' >&2
  exit 3
fi

files=()
for file in "$@"; do
  files+=("$(realpath -- "$file")")
done
cd "$root"
if ((${#files[@]} == 0)); then
  mapfile -d '' files < <(find "$root/mdh" -name '*.cpp' -print0 | sort -z)
fi

cmake --preset release -B build/tidy -DMDH_PCH=OFF -DMDH_UNITY=OFF -DMDH_CCACHE=OFF >/dev/null

# Sources that stand in for a missing package are not compiled where it is there.
compiled=()
for file in "${files[@]}"; do
  if grep -qF "\"file\": \"$file\"" build/tidy/compile_commands.json; then
    compiled+=("$file")
  else
    printf 'tidy: %s is not compiled here\n' "${file#"$root/"}" >&2
  fi
done
((${#compiled[@]} > 0)) || exit 0
files=("${compiled[@]}")

printf 'tidy: %d files\n' "${#files[@]}" >&2
# Prints what clang-tidy says about one file in one piece, without its count of hidden warnings.
check() {
  local output status=0
  output=$(clang-tidy --quiet -p build/tidy "$1" 2>&1) || status=1
  grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? generated\.$' <<<"$output" | grep . || true
  return "$status"
}
export -f check

printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$1"' check || exit 1
