// Parts that threads hand each other, and parts that the last group combines, in printed kernels.
#include <gtest/gtest.h>

#include "examples/catalogue.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "tests/campaign/backends.h"
#include "tests/emulation/device.h"
#include "tests/emulation/testing.h"

namespace mdh::emulation::combinations_test {
namespace {

using test::Prepared;

class Combinations : public OnEmulation<testing::Test> {
 protected:
  static Prepared prepared(const hl::Program& program, const std::string& config,
                           const std::string& target) {
    const machine::Machine& machine = machine::find_machine("gpu");
    const ll::Config parsed =
        ll::parse_config(R"({"mdh_config": 1, "machine": "gpu", )" + config + "}");
    auto one = test::prepare({program, machine, parsed}, 1, target);
    EXPECT_TRUE(one) << config;
    return std::move(*one);
  }

  /// On all targets; those that do not exchange share memory instead.
  static void expect_right(const hl::Program& program, const std::string& config,
                           const std::string& word) {
    for (const std::string& target : test::emulated_targets()) {
      const Prepared one = prepared(program, config, target);
      EXPECT_EQ(test::run_on(*device(), {one}).front(), "") << describe(one) << one.module.source;
      EXPECT_EQ(one.module.source.find(word) != std::string::npos, target == "cuda")
          << target << one.module.source;
    }
  }

  static hl::Program of_catalogue(const std::string& name, scalar::Scalar type,
                                  const std::vector<int64_t>& sizes) {
    return examples::find_entry(name)->build({type, sizes});
  }

  static hl::Program sum_of(const std::string& type) {
    return hl::instantiate(
        hl::parse(fmt::format("mdh 1\nprogram sums = out_view( y: {0} = [i] )"
                              " * md_hom( i: 5 by cc, k: 29 by pw(max) ) {{ y = x; }}"
                              " * inp_view( x: {0} = [i, k] )",
                              type)),
        {});
  }
};

const std::string by_exchange =
    R"("layers": ["BLK", "REG", "WRP", "THR"],
       "split": {"i": ["WRP 5"], "k": ["REG 4", "THR 8"]}, "order": ["WRP.i", "THR.k", "REG.k"],
       "code": {"combine": {"THR.k": "shuffle"}})";

TEST_F(Combinations, exchanges_of_all_types) {
  for (const char* type :
       {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"}) {
    SCOPED_TRACE(type);
    expect_right(sum_of(type), by_exchange, "__shfl_sync(");
  }
}

TEST_F(Combinations, exchanges_of_records_and_of_several_results) {
  const std::string config =
      R"("layers": ["BLK", "SHR", "THR"], "split": {"i": ["BLK 5"], "j": ["SHR 5", "THR 8"]},
         "order": ["BLK.i", "THR.j", "SHR.j"], "code": {"combine": {"THR.j": "shuffle"}})";
  for (const char* name : {"prl", "prl_multi"}) {
    SCOPED_TRACE(name);
    expect_right(of_catalogue(name, scalar::Scalar::f64, {5, 37}), config, "__shfl_sync(");
  }
}

/// Some are no multiples of words, and some begin anywhere.
TEST_F(Combinations, exchanges_of_small_records) {
  for (const char* fields : {"a: i16; b: i16;", "a: i8; b: i8;", "a: i64; b: i8;"}) {
    SCOPED_TRACE(fields);
    const hl::Program program = hl::instantiate(
        hl::parse(fmt::format(
            "mdh 1\nrecord pair {{ {} }}\n"
            "op larger(l, r) {{ y = if l.a < r.a || l.a == r.a && l.b < r.b then r else l; }}\n"
            "program best = out_view( y: pair = [i] )"
            " * md_hom( i: 5 by cc, k: 29 by pw(larger) ) {{ y = x; }}"
            " * inp_view( x: pair = [i, k] )",
            fields)),
        {});
    expect_right(program, by_exchange, "__shfl_sync(");
  }
}

/// The last warp is not full, and groups have more threads than those that exchange.
TEST_F(Combinations, exchanges_in_parts_of_warps) {
  for (const int parts : {2, 3, 4, 8, 16, 32}) {
    SCOPED_TRACE(parts);
    // Three neighbours are in one warp if there are no others.
    const std::string layer = 32 % parts == 0 ? "WRP" : "SHR";
    expect_right(of_catalogue("matvec", scalar::Scalar::i32, {5, 41}),
                 fmt::format(R"("layers": ["BLK", "SHR", "REG", "WRP", "THR"],
                     "split": {{"i": ["{0} 5"], "k": ["REG {1}", "THR {2}"]}},
                     "order": ["{0}.i", "THR.k", "REG.k"],
                     "code": {{"combine": {{"THR.k": "shuffle"}}}})",
                             layer, (41 + parts - 1) / parts, parts),
                 "__shfl_sync(");
  }
}

TEST_F(Combinations, last_groups_that_stay) {
  expect_right(of_catalogue("matvec", scalar::Scalar::i32, {6, 29}),
               R"("layers": ["BLK", "DEV", "THR"],
                  "split": {"i": ["BLK 2", "THR 3"], "k": ["BLK 4", "DEV 8"]},
                  "order": ["BLK.k", "BLK.i", "THR.i", "DEV.k"],
                  "code": {"combine": {"BLK.k": "last_core"}, "cores": {"BLK": {"count": 3}}})",
               "mdh_arrive_last(");
}

TEST_F(Combinations, last_groups_with_records_axes_and_loops_of_the_host) {
  expect_right(of_catalogue("prl", scalar::Scalar::f64, {5, 37}),
               R"("layers": ["BLK", "SHR", "THR"],
                  "split": {"i": ["BLK 5"], "j": ["BLK 3", "SHR 2", "THR 8"]},
                  "order": ["BLK.i", "BLK.j", "THR.j", "SHR.j"],
                  "tags": {"BLK.i": "y", "BLK.j": "x", "THR.j": "x"},
                  "code": {"combine": {"BLK.j": "last_core"}})",
               "mdh_arrive_last(");
  expect_right(of_catalogue("matmul", scalar::Scalar::i32, {6, 5, 22}),
               R"("layers": ["DEV", "BLK", "SHR", "THR"],
                  "split": {"i": ["DEV 2", "THR 3"], "j": ["BLK 5"], "k": ["BLK 4", "SHR 6"]},
                  "order": ["DEV.i", "BLK.j", "BLK.k", "THR.i", "SHR.k"],
                  "code": {"combine": {"BLK.k": "last_core"}})",
               "mdh_arrive_last(");
}

}  // namespace
}  // namespace mdh::emulation::combinations_test
