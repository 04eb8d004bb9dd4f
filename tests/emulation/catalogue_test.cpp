// Every program of the catalogue on the emulation.
#include <gtest/gtest.h>

#include "tests/campaign/catalogue_triples.h"
#include "tests/emulation/device.h"
#include "tests/emulation/testing.h"

namespace mdh::emulation::catalogue_test {
namespace {

using test::Prepared;

constexpr int drawn_per_type = 6;

class Catalogue : public OnEmulation<testing::TestWithParam<std::string>> {};

TEST_P(Catalogue, is_right_on_every_target) {
  for (const std::string& target : test::emulated_targets()) {
    const std::vector<Prepared> all =
        test::prepared_of(*examples::find_entry(GetParam()), target, drawn_per_type);
    const std::vector<std::string> complaints = test::run_on(*device(), all);
    for (size_t n = 0; n < all.size(); ++n) EXPECT_EQ(complaints[n], "") << describe(all[n]);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const examples::Entry& entry : examples::catalogue()) all.push_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, Catalogue, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace mdh::emulation::catalogue_test
