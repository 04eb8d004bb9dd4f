// A sample of the frozen sources; `scripts/frozen.sh` compares all of them.
#include <gtest/gtest.h>

#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "tests/frozen/sources.h"

namespace mdh::test::frozen_test {
namespace {

std::vector<FrozenLine> kept() {
  return read_frozen(read_file(MDH_SOURCE_DIR "/tests/frozen/hashes.txt"));
}

TEST(FrozenSources, are_as_they_were) {
  const std::vector<FrozenCase> cases = frozen_cases();
  std::vector<FrozenLine> sample;
  std::vector<FrozenLine> before;
  const std::vector<FrozenLine> all = kept();
  ASSERT_EQ(all.size(), cases.size());
  for (size_t n = 0; n < cases.size(); n += 12) {
    before.push_back(all[n]);
    sample.push_back(frozen_line(cases[n]));
  }
  ASSERT_GT(sample.size(), 180u);
  EXPECT_EQ(join(changes(before, sample), "\n"), "") << "see scripts/frozen.sh";
}

TEST(FrozenSources, are_all_kept) {
  const std::vector<FrozenCase> cases = frozen_cases();
  const std::vector<FrozenLine> lines = kept();
  ASSERT_EQ(lines.size(), cases.size());
  size_t openmp = 0, opencl = 0;
  for (size_t n = 0; n < cases.size(); ++n) {
    EXPECT_EQ(lines[n].name, cases[n].name);
    openmp += lines[n].openmp != lines[0].openmp;
    opencl += lines[n].opencl != lines[0].opencl;
  }
  EXPECT_GT(openmp, 2000u);
  EXPECT_GT(opencl, 2000u);
}

TEST(FrozenSources, a_change_is_named) {
  const FrozenLine line{"seed/1", "aa", "bb", "cc"};
  EXPECT_EQ(read_frozen(print(line)), std::vector{line});
  EXPECT_TRUE(changes({line}, {line}).empty());
  FrozenLine other = line;
  other.opencl = "dd";
  EXPECT_EQ(join(changes({line}, {other}), "; "), "seed/1: other opencl");
  other.openmp = "ee";
  EXPECT_EQ(join(changes({line}, {other}), "; "), "seed/1: other openmp; seed/1: other opencl");
  other.triple = "ff";
  EXPECT_EQ(join(changes({line}, {other}), "; "), "seed/1: is another case");
  other.name = "seed/2";
  EXPECT_EQ(join(changes({line}, {other}), "; "), "seed/2: is not frozen; seed/1: is gone");
}

TEST(FrozenSources, say_all_that_run_time_gets_to_know) {
  const std::vector<FrozenCase> cases = frozen_cases();
  const FrozenCase* dot = find_case(cases, "catalogue/dot/f32/gpu_nowarp");
  ASSERT_NE(dot, nullptr);
  EXPECT_EQ(find_case(cases, "catalogue/no_such"), nullptr);
  const Triple triple = dot->make();
  EXPECT_NE(text_of(triple).find("\"mdh_config\""), std::string::npos);
  const std::string text = printed(triple, "opencl");
  EXPECT_EQ(text, printed(triple, "opencl"));
  for (const char* part : {"launch frozen_1 [", "argument ", "workspace ", "flags [", "__kernel"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace mdh::test::frozen_test
