#!/usr/bin/env bash
# Everything a change has to pass. The summary of the release tests is the last thing printed.
#
#   scripts/test.sh [--quick|--full]
#
#   --quick  format check, release build and release tests only
#   --full   also clang-tidy, a build with clang++, a project that uses mdh, and all tests with sanitizers instead of those
#            that reach the whole library: random configurations, broken programs, golden files

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=-j$(nproc)
mode=default

usage() {
  sed -n '2,8s/^# \{0,1\}//p' scripts/test.sh
}

for argument in "$@"; do
  case $argument in
    --quick | --full) mode=${argument#--} ;;
    -h | --help) usage && exit 0 ;;
    *)
      printf "test: unknown option '%s'\n" "$argument" >&2
      usage >&2
      exit 2
      ;;
  esac
done

# step NAME COMMAND...: runs the command, says how long it took, stops at the first failure.
step() {
  local name=$1 start=$SECONDS status=0
  shift
  printf '==> %s\n' "$name" >&2
  "$@" || status=$?
  if ((status != 0)); then
    printf '==> %s: FAILED after %d s\n' "$name" $((SECONDS - start)) >&2
    exit "$status"
  fi
  printf '==> %s: ok, %d s\n' "$name" $((SECONDS - start)) >&2
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  cmake --preset "$preset" && cmake --build --preset "$preset" "$jobs" ${@:+--target "$@"}
}

# run_tests PRESET [CTEST OPTION...]
run_tests() {
  local preset=$1
  shift
  ctest --preset "$preset" "$jobs" "$@"
}

export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

if [[ $mode == full ]]; then
  step "packages" scripts/setup.sh full
else
  step "packages" scripts/setup.sh test
fi
step "format" scripts/format.sh --check
step "release build" build release
if [[ $mode == full ]]; then
  step "clang-tidy" scripts/tidy.sh
  step "clang build" build clang
  step "clang tests" run_tests clang
fi
if [[ $mode == full ]]; then
  step "asan build" build asan
  step "asan tests" run_tests asan
elif [[ $mode == default ]]; then
  step "asan build" build asan property_test errors_test golden_test
  # What only asks compilers whether they understand printed code is asked once, below; of what is random
  # a quarter is enough here.
  GTEST_FILTER='-Conditions.*:Printed*:ExtremeValues.*:LowLevel.*_2:LowLevel.*_3:LowLevel.*_4:Loops.second_quarter:Loops.third_quarter:Loops.fourth_quarter' \
    step "asan tests" run_tests asan -L 'property|errors|golden'
fi

printf '==> release tests (%d s so far)\n' "$SECONDS" >&2
if [[ $mode == full ]]; then
  run_tests release
else
  run_tests release -LE install
fi
