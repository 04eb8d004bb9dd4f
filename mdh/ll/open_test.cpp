// Levels that are as large as a size needs.
#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/ll/evaluate.h"
#include "mdh/ll/parameters.h"
#include "mdh/ll/parse.h"
#include "mdh/ll/print.h"
#include "mdh/ll/test_programs.h"

namespace mdh::ll::open_test {
namespace {

const std::string open_text =
    "matvec<I: size = *, K: size = *> = out_view( w: i64 = [i] )"
    " * md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; }"
    " * inp_view( M: i64 = [i, k]; v: i64 = [k] )";

Config open_config() {
  return parse_config(R"({"mdh_config": 1, "machine": "cpu", "layers": ["COR", "L1", "SIMD"],
    "split": {"i": ["COR *", "L1 3"], "k": ["L1 *", "SIMD 4"]},
    "order": ["COR.i", "L1.k", "L1.i", "SIMD.k"]})");
}

const machine::Machine& cpu() { return machine::find_machine("cpu"); }

Program lowered(const hl::Program& p) {
  validate(open_config(), p, cpu());
  Program low = program_of(parameters_of(open_config(), p, cpu()), p, cpu());
  verify(low);
  return low;
}

hl::Program generic() { return hl::parse("mdh 1\nprogram " + open_text); }

TEST(OpenLevels, stay_open_while_the_size_is_unknown) {
  const Program low = lowered(hl::instantiate_open(generic(), {}));
  EXPECT_EQ(low.decompose[0].parts, open_parts);
  EXPECT_EQ(low.decompose[1].parts, open_parts);
  EXPECT_EQ(parse(print(low)), low);
}

TEST(OpenLevels, one_configuration_serves_every_size) {
  Random random(1);
  for (const int64_t rows : {1, 2, 3, 4, 7, 13}) {
    for (const int64_t columns : {1, 4, 5, 11}) {
      const hl::Program p = hl::instantiate(generic(), {.sizes = {{"I", rows}, {"K", columns}}});
      const auto inputs = random_inputs(random, p);
      EXPECT_EQ(evaluate(lowered(p), inputs), hl::evaluate(p, inputs)) << rows << " " << columns;
    }
  }
}

TEST(OpenLevels, only_the_first_digit_is_open) {
  Config c = open_config();
  c.split["i"] = {{"COR", 2}, {"L1", open_parts}};
  const hl::Program p = hl::instantiate_open(generic(), {});
  EXPECT_EQ(diagnostic_of([&] { validate(c, p, cpu()); }).message,
            "split.i: the open level \"L1 *\" is not the first");
  c.split["i"] = {{"COR", 2}, {"L1", 3}};
  EXPECT_EQ(diagnostic_of([&] { validate(c, p, cpu()); }).message,
            "split.i: the size is known at run time only, but no level is open");
}

TEST(OpenLevels, have_no_value_to_evaluate) {
  const Program low = lowered(hl::instantiate_open(generic(), {}));
  EXPECT_EQ(diagnostic_of([&] { evaluate(low, {}); }).kind, DiagnosticKind::internal);
}

TEST(OpenLevels, the_default_configuration_opens_one_loop_per_size) {
  const hl::Program p = hl::instantiate_open(generic(), {});
  const Config c = default_config(p, cpu(), 4);
  EXPECT_NO_THROW(validate(c, p, cpu()));
  EXPECT_EQ(c.split.at("i"), (std::vector<Digit>{{"L1", open_parts}}));
  const hl::Program rows = hl::instantiate_open(generic(), {.sizes = {{"I", 64}}});
  EXPECT_EQ(default_config(rows, cpu(), 4).split.at("i"),
            (std::vector<Digit>{{"COR", 4}, {"L1", 16}}));
}

}  // namespace
}  // namespace mdh::ll::open_test
