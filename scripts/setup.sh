#!/usr/bin/env bash
# Installs the packages that mdh needs and that are missing; nothing else. Debian and Ubuntu.
#
#   scripts/setup.sh [build|test|full|bench]
#
#   build  what it takes to build mdh
#   test   and to test it (the default)
#   full   and to run clang-tidy and the fuzzer
#   bench  what it takes to build mdh, and the libraries that 'mdh bench cpu' compares it with
#
# MDH_SKIP_SETUP=1 skips it all, for machines that have their packages from elsewhere.
# Exit code 3: a required package is missing and cannot be installed.
#
# Sourced, it defines mdh_setup and does nothing.

mdh_setup_say() { printf 'setup: %s\n' "$*" >&2; }

# The release as one word, e.g. debian-12; "unknown" where there is no apt.
mdh_setup_system() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null || [[ ! -r /etc/os-release ]]; then
    echo unknown
    return
  fi
  (
    . /etc/os-release
    echo "${ID:-unknown}-${VERSION_ID:-rolling}"
  )
}

# Packages of a system and a purpose, the optional ones marked with '?'. g++ brings libgomp.
mdh_setup_packages() {
  local system=$1 purpose=$2
  local build test full
  local bench="?clang ?libomp-dev ?libopenblas0-pthread ?libblis4-openmp ?libeigen3-dev ?libdnnl-dev"
  local opencl="?opencl-c-headers ?ocl-icd-libopencl1 ?pocl-opencl-icd" # PoCL is a device on the CPU
  case $system in
    debian-12)
      build="g++ cmake ninja-build libfmt-dev nlohmann-json3-dev libcli11-dev libgtest-dev"
      test="clang-format ?librapidcheck-dev ?clang ?python3 $opencl"
      full="?clang-tidy ?libclang-rt-14-dev"
      ;;
    ubuntu-24.04) # untested
      build="g++ cmake ninja-build libfmt-dev nlohmann-json3-dev libcli11-dev libgtest-dev"
      test="clang-format ?clang-format-14 ?librapidcheck-dev ?clang ?python3 $opencl"
      full="?clang-tidy ?libclang-rt-18-dev"
      ;;
    *)
      mdh_setup_say "no package list for $system, trying that of Debian 12 (untested)"
      mdh_setup_packages debian-12 "$purpose"
      return
      ;;
  esac
  case $purpose in
    build) echo "$build" ;;
    test) echo "$build $test" ;;
    full) echo "$build $test $full" ;;
    bench) echo "$build $bench" ;;
    *) mdh_setup_say "unknown purpose '$purpose': build, test, full or bench" && return 2 ;;
  esac
}

mdh_setup_installed() {
  dpkg -s "$1" 2>/dev/null | grep -q '^Status: install ok installed'
}

# Runs apt-get as root; its output goes to the log.
mdh_setup_apt() {
  local log=$1
  shift
  local -a root=()
  if ((EUID != 0)); then
    root=(sudo)
    [[ -t 0 ]] || root=(sudo -n) # nobody to type a password
  fi
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o Acquire::Retries=2 \
    -o DPkg::Lock::Timeout=120 "$@" >>"$log" 2>&1 </dev/null
}

# Installs with the package lists at hand, and once more with fresh ones. Nothing is removed for it: the driver of a GPU may
# have brought its own OpenCL loader.
mdh_setup_install() {
  local log=$1
  shift
  mdh_setup_apt "$log" install --no-remove --no-install-recommends "$@" && return
  if [[ -z ${mdh_setup_updated:-} ]]; then
    mdh_setup_updated=yes
    mdh_setup_apt "$log" update || return 1
    mdh_setup_apt "$log" install --no-remove --no-install-recommends "$@" && return
  fi
  return 1
}

mdh_setup_can_install() { ((EUID == 0)) || command -v sudo >/dev/null; }

mdh_setup() {
  local purpose=${1:-test}
  [[ ${MDH_SKIP_SETUP:-0} != 1 ]] || return 0

  local system
  system=$(mdh_setup_system)
  if [[ $system == unknown ]]; then
    mdh_setup_say "error: no apt here. Install the counterparts of these Debian packages, then set MDH_SKIP_SETUP=1:"
    mdh_setup_say "  $(mdh_setup_packages debian-12 "$purpose" | tr -d '?')"
    return 3
  fi

  local packages package
  packages=$(mdh_setup_packages "$system" "$purpose") || return
  local -a required=() optional=()
  for package in $packages; do
    mdh_setup_installed "${package#\?}" && continue
    if [[ $package == \?* ]]; then
      optional+=("${package#\?}")
    else
      required+=("$package")
    fi
  done

  local log mdh_setup_updated=
  log=$(mktemp "${TMPDIR:-/tmp}/mdh-setup.XXXXXX")
  if ((${#required[@]})); then
    if ! mdh_setup_can_install; then
      mdh_setup_say "error: neither root nor sudo. Ask your administrator for: apt-get install ${required[*]}"
      rm -f "$log"
      return 3
    fi
    mdh_setup_say "installing ${required[*]}"
    if ! mdh_setup_install "$log" "${required[@]}"; then
      cat "$log" >&2
      mdh_setup_say "error: could not install ${required[*]} (output above)"
      rm -f "$log"
      return 3
    fi
  fi
  for package in ${optional[@]+"${optional[@]}"}; do
    mdh_setup_say "installing $package (optional)"
    if ! mdh_setup_can_install || ! mdh_setup_install "$log" "$package"; then
      mdh_setup_say "warning: $package is not available, going on without it"
    fi
  done
  rm -f "$log"
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  set -euo pipefail
  mdh_setup "$@"
fi
