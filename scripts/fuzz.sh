#!/usr/bin/env bash
# Throws random texts at the readers of mdh, built with clang's fuzzer and sanitizers. What counts is
# said in tests/fuzz/targets.h; an input that takes more than 10 seconds or 2 GiB counts as well.
#
#   scripts/fuzz.sh [--minutes N] [--merge] [TARGET ...]
#
#   TARGET       hl (.mdh), ll (.ll.mdh), loop (.loop.mdh), config (JSON); all of them by default
#   --minutes N  how long each target runs (1 by default)
#   --merge      afterwards adds the inputs that reach new code to tests/fuzz/corpus, and drops
#                those that others make superfluous
#
# Exit code 0: nothing found. 1: a finding; the input is kept. 3: there is no fuzzer here.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'fuzz: %s\n' "$*" >&2; }
usage() { sed -n '2,13s/^# \{0,1\}//p' scripts/fuzz.sh; }

minutes=1 merge=no
targets=()
while (($#)); do
  case $1 in
    --minutes)
      minutes=${2:-}
      [[ $minutes =~ ^[1-9][0-9]*$ ]] || { say "--minutes needs a whole number, got '$minutes'" && exit 2; }
      shift
      ;;
    --merge) merge=yes ;;
    hl | ll | loop | config) targets+=("$1") ;;
    -h | --help) usage && exit 0 ;;
    *)
      say "unknown option or target '$1'"
      usage >&2
      exit 2
      ;;
  esac
  shift
done
((${#targets[@]})) || targets=(hl ll loop config)

# Linking an empty target tells whether the runtime is there.
check_fuzzer() {
  if ! command -v clang++ >/dev/null; then
    say "error: clang++ is missing; apt-get install clang libclang-rt-14-dev"
    exit 3
  fi
  local major program=build/fuzz/probe
  major=$(clang++ -dumpversion | cut -d. -f1)
  mkdir -p build/fuzz
  if ! clang++ -fsanitize=fuzzer,address,undefined -x c++ -o "$program" - 2>/dev/null \
    <<<'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'; then
    say "error: clang++ $major has no fuzzer runtime; apt-get install libclang-rt-$major-dev"
    exit 3
  fi
  rm -f "$program"
}

build() {
  local log=build/fuzz/build.log
  say "building ${targets[*]} (preset fuzz)"
  if ! { cmake --preset fuzz && cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}"; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    say "error: the build failed; all of its output is in $log"
    exit 2
  fi
}

# Texts to begin with, beside the committed corpus.
seed() {
  local target=$1 folder=$2 file
  mkdir -p "$folder"
  case $target in
    hl) set -- examples/*/*.mdh tests/errors/*.mdh docs/*.mdh ;;
    ll) set -- ;; # printed from configurations; the committed corpus begins with them
    loop) set -- tests/golden/*/*.mdh tests/golden/*/*/*.mdh ;;
    config) set -- docs/*.json ;;
  esac
  for file in "$@"; do
    cp "$file" "$folder/seed-${file//\//-}"
  done
}

# fuzz TARGET: runs it; says what came out.
fuzz() {
  local target=$1 status=0 executions
  local found=build/fuzz/found/$target/ fresh=build/fuzz/corpus/$target log=build/fuzz/$target.log
  mkdir -p "$found" "tests/fuzz/corpus/$target"
  seed "$target" "$fresh"
  say "$target: $minutes min; its output goes to $log"
  ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1} \
    "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time=$((minutes * 60)) -timeout=10 -rss_limit_mb=2048 \
    -max_len=4095 -dict=tests/fuzz/keywords.dict -artifact_prefix="$found" -print_final_stats=1 \
    "$fresh" "tests/fuzz/corpus/$target" >"$log" 2>&1 || status=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if ((status != 0)); then
    grep -E -A 12 'ERROR|runtime error|terminate called|what\(\)' "$log" | head -n 40 >&2 || true
    say "$target: FOUND something after ${executions:-?} executions"
    say "  input: $(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)"
    say "  again: build/fuzz/tests/fuzz/fuzz_$target INPUT; smaller: ... -minimize_crash=1 -runs=10000 INPUT"
    return 1
  fi
  say "$target: clean, $executions executions in $minutes min"
}

# Few inputs that together reach most of the code that is reached: they are written in the order in
# which they add most. Inputs with names of their own stay.
merge() {
  local target=$1 kept=tests/fuzz/corpus/$1 merged=build/fuzz/merged/$1 before most=50
  [[ $target != hl ]] || most=150
  local -a nameless=(-regextype egrep -type f -regex '.*/[0-9a-f]{40}')
  local -a named=(-regextype egrep -type f ! -regex '.*/[0-9a-f]{40}')
  before=$(find "$kept" -type f | wc -l)
  rm -rf "$merged" && mkdir -p "$merged"
  find "$kept" "${named[@]}" -exec cp {} "$merged" \;
  "build/fuzz/tests/fuzz/fuzz_$target" -set_cover_merge=1 -use_counters=0 -max_len=4095 -timeout=10 "$merged" \
    "$kept" "build/fuzz/corpus/$target" >"build/fuzz/merge-$target.log" 2>&1
  find "$kept" "${nameless[@]}" -delete
  find "$merged" "${nameless[@]}" -printf '%T@ %p\n' | sort -n | head -n "$most" | cut -d' ' -f2 |
    xargs -r cp -t "$kept"
  say "$target: the corpus has $(find "$kept" -type f | wc -l) inputs, it had $before"
}

check_fuzzer
build
result=0
for target in "${targets[@]}"; do
  fuzz "$target" || result=1
  if [[ $merge == yes ]]; then merge "$target"; fi
done
exit "$result"
