#!/usr/bin/env bash
# From a bare clone to a running computation: installs what is missing, builds mdh, shows it.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n==> %s\n' "$*" >&2; }

mdh() {
  printf '\n$ mdh %s\n' "$*" >&2
  build/release/tools/mdh/mdh "$@"
}

# What the demo shows: three computations, each verified, two of them against the plain loop; then one that splits a
# reduction over threads, and the code that mdh printed for it.
show() {
  mdh doctor
  mdh run matmul --size 512,512,512 --compare
  mdh run dot --size 10000000 --compare
  mdh run matvec --config docs/matvec.json
  mdh show matvec --config docs/matvec.json --source
}

say "packages"
scripts/setup.sh build

say "build (the first time this takes a few minutes)"
cmake --preset release >&2
cmake --build --preset release --target mdh -j"$(nproc)" >&2

say "mdh"
show
