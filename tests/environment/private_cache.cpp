// Linked into every test: the user's cache of compiled kernels and tuning records are none of its
// business. Tests share a cache in the build tree, also if they are started by hand, and have no
// records but those that they write somewhere else. Estimates are the same in every run: nothing is
// measured for them.
#include <cstdlib>

namespace {

const bool is_private = [] {
  return setenv("MDH_CACHE", MDH_TEST_CACHE, 0) == 0 && setenv("MDH_CACHE_LIMIT", "256M", 0) == 0 &&
         setenv("XDG_DATA_HOME", MDH_TEST_CACHE "-without-records", 1) == 0 &&
         setenv("MDH_RATES", "typical", 1) == 0;
}();

}  // namespace
