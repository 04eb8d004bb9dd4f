#!/usr/bin/env bash
# Compares all printed sources with those whose hashes are in tests/frozen/hashes.txt: the whole
# catalogue, all stored configurations and 2,000 random triples, for OpenMP and OpenCL.
#
#   scripts/frozen.sh                   names what has changed; exit code 1 if anything has
#   scripts/frozen.sh --update          takes what is printed now for right
#   scripts/frozen.sh --against COMMIT  builds that commit and shows how the first sources differ
#                                       (a commit that has this script)
#
# A change of the structure of mdh changes no source. Whoever changes one on purpose says why in the
# commit, and updates the hashes with it.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

most_shown=5
hashes=tests/frozen/hashes.txt
tool=build/release/tests/frozen

build_here() {
  cmake --preset release >/dev/null
  cmake --build --preset release --target frozen "-j$(nproc)" >/dev/null
}

# show_differences OLD: OLD is the tool of another commit.
show_differences() {
  local old=$1 shown=0 name target
  "$old" hashes >build/frozen-before.txt
  while IFS=: read -r name target; do
    target=${target##* }
    diff -u --label "$name, $target, before" --label "$name, $target, now" \
      <("$old" show "$name" "$target") <("$tool" show "$name" "$target") || true
    shown=$((shown + 1))
    if ((shown == most_shown)); then break; fi
  done < <("$tool" check build/frozen-before.txt | grep ': other ')
}

against() {
  tree=build/frozen-tree
  git worktree add --quiet --force --detach "$tree" "$1"
  trap 'git worktree remove --force "$tree"' EXIT
  (cd "$tree" && build_here)
  show_differences "$tree/$tool"
}

case ${1:-} in
  '') build_here && "$tool" check "$hashes" ;;
  --update) build_here && "$tool" hashes >"$hashes.new" && mv "$hashes.new" "$hashes" ;;
  --against) build_here && against "${2:?"frozen: --against needs a commit"}" ;;
  -h | --help) sed -n '2,12s/^# \{0,1\}//p' "$0" ;;
  *)
    printf "frozen: unknown option '%s'\n" "$1" >&2
    exit 2
    ;;
esac
