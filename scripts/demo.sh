#!/usr/bin/env bash
# From a bare clone to a tuned computation: installs what is missing, builds mdh, tunes a matrix product for this machine
# and compares it with plain loops and the libraries that are installed; on a GPU of NVIDIA, where there is one, it does
# so once more. A second run finds the records and does not tune.
#
#   scripts/demo.sh
#
# MDH_DEMO_SIZE=I,J,K   the product (default 1024,1024,1024); the comparison needs sizes that 'mdh bench' knows
# MDH_DEMO_BUDGET=40s   for tuning: time, or a number of configurations
# MDH_DEMO_PEERS=a,b    whom to compare with (default: plain loops and all libraries; 'mdh bench cpu --list')
# MDH_DEMO_GPU_PEERS=a  the same on a GPU (default: cublas; 'mdh bench gpu --list')
# MDH_DEMO_RETUNE=1     search once more; it goes on where the last search ended
# MDH_DEMO_TOOL=PATH    this mdh, instead of installing packages and building one
# MDH_SKIP_SETUP=1      no packages (scripts/setup.sh)

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

size=${MDH_DEMO_SIZE:-1024,1024,1024}
budget=${MDH_DEMO_BUDGET:-40s}
tool=${MDH_DEMO_TOOL:-build/release/tools/mdh/mdh}
peers=${MDH_DEMO_PEERS:-gcc,clang,openblas,blis,onemkl,eigen,onednn}
gpu_peers=${MDH_DEMO_GPU_PEERS:-cublas}

say() { printf '\n==> %s\n' "$*" >&2; }

mdh() {
  printf '\n$ mdh %s\n' "$*" >&2
  "$tool" "$@"
}

# The optional packages are compilers and libraries to compare with: without them the demo has less to show.
build() {
  say "packages"
  scripts/setup.sh bench
  say "build (the first time this takes a few minutes)"
  cmake --preset release >&2
  cmake --build --preset release --target mdh mdh-worker mdh-bench-runner mdh-bench-gpu-runner \
    -j"$(nproc)" >&2
}

# What a computation is, and how it is computed: verified, with a reduction that is split over threads.
introduce() {
  say "a program, verified"
  mdh show matvec
  mdh run matvec --config docs/matvec.json
}

# tune WHAT [OPTIONS...]: WHAT is what it is tuned for.
tune() {
  local known what=$1
  shift
  if [[ ${MDH_DEMO_RETUNE:-0} != 1 ]] &&
    known=$("$tool" records best matmul --size "$size" "$@" 2>&1 >/dev/null); then
    say "tuned before, nothing to tune: ${known#mdh: } (MDH_DEMO_RETUNE=1 searches once more)"
  else
    say "tuning matmul $size for $what, budget $budget"
    mdh tune matmul --size "$size" --budget "$budget" "$@"
  fi
  mdh run matmul --size "$size" --require-tuned -q "$@"
}

# workload SUITE: the workload that is the product of these sizes, if the suite has one.
workload() {
  "$tool" bench "$1" --list | awk -v sizes="$size" '
    BEGIN { split(sizes, n, ",") }
    $2 == "matmul" && $3 == "I=" n[1] && $4 == "J=" n[2] && $5 == "K=" n[3] { print $1; exit }'
}

# Only the table, what mdh ran with, and what is missing or in doubt.
shortened() {
  awk '/^workload/ { table = 1 } table { print } table && /^$/ { exit }' "$1"
  grep -E '^(mdh: |do not trust)|^[a-z]+: not ' "$1" || true
}

# bench SUITE WORKLOAD OPTIONS...: with what was tuned.
bench() {
  local suite=$1 name=$2 report
  shift 2
  report=$(mktemp "${TMPDIR:-/tmp}/mdh-demo.XXXXXX")
  mdh bench "$suite" --workloads "$name" --configs tuned --quick -q "$@" >"$report" || {
    cat "$report" && rm -f "$report" && return 1
  }
  shortened "$report"
  rm -f "$report"
}

compare() {
  local suite name
  for suite in cpu more tiny; do
    name=$(workload "$suite")
    [[ -n $name ]] || continue
    say "against plain loops (gcc, clang) and libraries: time of the peer / time of mdh, above 1 mdh is faster"
    bench "$suite" "$name" --peers "$peers"
    return
  done
  say "'mdh bench' has no matmul $size: compared with the plain loop on one thread only"
  mdh run matmul --size "$size" --compare -q
}

has_gpu() { "$tool" devices 2>/dev/null | grep -q '^cuda:[0-9]'; }

compare_on_gpu() {
  local suite name
  for suite in gpu cpu more tiny; do
    name=$(workload "$suite")
    [[ -n $name ]] || continue
    say "on the GPU, against $gpu_peers: time of the peer / time of mdh, above 1 mdh is faster"
    bench gpu "$name" --peers "$gpu_peers" --caches warm
    return
  done
}

[[ -n ${MDH_DEMO_TOOL:-} ]] || build
introduce
tune "this machine"
compare
if has_gpu; then
  tune "its GPU" --target cuda
  compare_on_gpu
fi
