#include "tests/property/properties.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "mdh/support/diagnostic.h"

namespace mdh::test {

std::string violation(Property& property, Choices& choices) {
  try {
    return property(choices);
  } catch (const Error& e) {
    return render(e.diagnostic());
  }
}

int case_count(int usual) {
  if (const char* wished = std::getenv("MDH_CASES")) return std::atoi(wished);
#ifdef __SANITIZE_ADDRESS__
  return std::max(usual / 20, 5);
#else
  return usual;
#endif
}

void expect_holds(Property& property, int usual) {
  for (int seed = 1; seed <= case_count(usual); ++seed) {
    Choices choices(static_cast<uint64_t>(seed));
    const std::string found = violation(property, choices);
    ASSERT_TRUE(found.empty()) << "seed " << seed << "\n" << found;
  }
}

}  // namespace mdh::test
