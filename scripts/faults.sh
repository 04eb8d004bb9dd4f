#!/usr/bin/env bash
# Plants faults into kernels and sees that verification refuses all of them, and that it accepts
# kernels that are right; see tests/faults/README.md.
#
#   scripts/faults.sh [--seed 1] [--share 100] [--save build/faults]
#
#   --share P  only P percent of the 320 faults and the 1,000 right kernels
#
# Prints one JSON object per back end. A fault that escapes is saved. Exit code 1 if there is one,
# or if a right kernel is refused. Without an OpenCL device that part is skipped, and said so.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seed=1 share=100 save=build/faults
while (($# > 0)); do
  case $1 in
    --seed) seed=$2 ;;
    --share) share=$2 ;;
    --save) save=$2 ;;
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' scripts/faults.sh && exit 0 ;;
    *)
      printf "faults: unknown option '%s'\n" "$1" >&2
      exit 2
      ;;
  esac
  shift 2
done

scripts/setup.sh test
cmake --preset release >/dev/null
cmake --build --preset release --target faults "-j$(nproc)" >/dev/null
mkdir -p "$save"
# Thousands of kernels that nobody needs again do not belong into the user's cache.
export MDH_CACHE=$PWD/build/faults-cache

# part NAME OPTION...: in the background; its summary goes to a file.
part() {
  local name=$1
  shift
  build/release/tests/faults --from "$seed" --save "$save" "$@" >"$save/$name.json" &
}

percent() { printf '%d' $((($1 * share + 99) / 100)); }

part openmp --on openmp --count "$(percent 220)" --tune "$(percent 40)" --right "$(percent 600)"
openmp=$!
part opencl --on opencl --count "$(percent 100)" --right "$(percent 400)"
opencl=$!

status=0 code=0
wait "$openmp" || status=1
wait "$opencl" || code=$?
if ((code == 3)); then
  printf 'faults: SKIP opencl: no device\n' >&2
elif ((code != 0)); then
  status=1
fi
cat "$save"/openmp.json "$save"/opencl.json
exit "$status"
