// Linked into every test: the user's cache of compiled kernels is none of its business. Tests share
// one in the build tree, also if they are started by hand.
#include <cstdlib>

namespace {

const bool is_private = [] {
  return setenv("MDH_CACHE", MDH_TEST_CACHE, 0) == 0 && setenv("MDH_CACHE_LIMIT", "256M", 0) == 0;
}();

}  // namespace
