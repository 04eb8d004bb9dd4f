#!/usr/bin/env bash
# From a bare clone to a running computation: installs what is missing, builds mdh, shows it.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n==> %s\n' "$*" >&2; }

mdh() {
  printf '\n$ mdh %s\n' "$*" >&2
  build/release/tools/mdh/mdh "$@"
}

# What the demo shows.
show() {
  mdh doctor
  mdh run matvec --size 512,4096
  mdh show matvec --size 7,13 --source
}

say "packages"
scripts/setup.sh build

say "build (the first time this takes a few minutes)"
cmake --preset release >&2
cmake --build --preset release --target mdh -j"$(nproc)" >&2

say "mdh"
show
