#include "mdh/tuning/chosen_config.h"

#include <gtest/gtest.h>

#include "mdh/ll/shared_test_programs.h"

namespace mdh::tuning::chosen_config_test {
namespace {

const machine::Machine& cpu() { return machine::find_machine("cpu"); }

TEST(ChosenConfig, says_where_it_comes_from) {
  EXPECT_EQ(describe({{}, ConfigSource::file, "a.json"}), "file a.json");
  EXPECT_EQ(describe({{}, ConfigSource::record, "2 us"}), "record (2 us)");
  EXPECT_EQ(describe({{}, ConfigSource::model, "3 us estimated"}), "model (3 us estimated)");
  EXPECT_EQ(describe({{}, ConfigSource::usual, ""}), "default");
  EXPECT_EQ(to_string(ConfigSource::file), "file");
  EXPECT_EQ(to_string(ConfigSource::record), "record");
}

TEST(DefaultChoice, is_the_default_for_that_many_cores) {
  const hl::Program p = matvec(Scalar::f32, 7, 13);
  const ChosenConfig chosen = default_choice(p, cpu(), 3);
  EXPECT_EQ(chosen.config, ll::default_config(p, cpu(), 3));
  EXPECT_EQ(to_string(chosen.source), "default");
}

}  // namespace
}  // namespace mdh::tuning::chosen_config_test
