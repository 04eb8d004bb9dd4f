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

// ---- atomics

const std::string by_atomics =
    R"("layers": ["BLK", "SHR", "THR"],
       "split": {"i": ["THR 5"], "k": ["BLK 4", "SHR 8"]}, "order": ["BLK.k", "THR.i", "SHR.k"],
       "code": {"combine": {"BLK.k": "atomic"}})";

hl::Program reduced(const std::string& type, const std::string& how) {
  return hl::instantiate(
      hl::parse(fmt::format("mdh 1\nprogram sums = out_view( y: {0} = [i] )"
                            " * md_hom( i: 5 by cc, k: 29 by pw({1}) ) {{ y = x; }}"
                            " * inp_view( x: {0} = [i, k] )",
                            type, how)),
      {});
}

TEST_F(Combinations, atomics_of_all_types) {
  for (const char* type :
       {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"}) {
    for (const char* how : {"add", "mul", "min", "max"}) {
      SCOPED_TRACE(fmt::format("{} {}", type, how));
      expect_right(reduced(type, how), by_atomics, "atomic");
    }
  }
  for (const char* type : {"bool", "i8", "u16", "i32", "i64", "u32", "u64"}) {
    for (const char* how : {"and", "or", "xor"}) {
      SCOPED_TRACE(fmt::format("{} {}", type, how));
      expect_right(reduced(type, how), by_atomics, "atomic");
    }
  }
}

/// The device adds; small results are swapped; others are worked on alone.
TEST_F(Combinations, atomics_of_three_forms) {
  expect_right(reduced("f32", "add"), by_atomics, "atomicAdd(&y_acc_all[");
  expect_right(reduced("u64", "max"), by_atomics, "atomicMax((unsigned long long *)&y_acc_all[");
  expect_right(reduced("f16", "add"), by_atomics, "atomicCAS(");
  expect_right(reduced("i64", "min"), by_atomics, "mdh_begin_alone(");
}

TEST_F(Combinations, atomics_of_records_and_of_several_results) {
  const std::string config =
      R"("layers": ["BLK", "SHR", "THR"], "split": {"i": ["BLK 5"], "j": ["BLK 4", "SHR 2", "THR 5"]},
         "order": ["BLK.i", "BLK.j", "THR.j", "SHR.j"], "code": {"combine": {"BLK.j": "atomic"}})";
  for (const char* name : {"prl", "prl_multi"}) {
    SCOPED_TRACE(name);
    expect_right(of_catalogue(name, scalar::Scalar::f64, {5, 37}), config, "mdh_begin_alone(");
  }
}

TEST_F(Combinations, atomics_of_small_records) {
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
    expect_right(program, by_atomics, "atomic");
  }
}

/// Results that the device combines and one that it does not; an operator that mixes two results.
TEST_F(Combinations, atomics_of_several_operators) {
  for (const char* how : {"add, add", "add, max", "both"}) {
    SCOPED_TRACE(how);
    const hl::Program program = hl::instantiate(
        hl::parse(fmt::format("mdh 1\nop both(l, r) {{ s = l.s + r.s; p = max(l.p, r.p); }}\n"
                              "program sums = out_view( s: i64 = [i]; p: i64 = [i] )"
                              " * md_hom( i: 5 by cc, k: 29 by pw({}) ) {{ s = x; p = x + k; }}"
                              " * inp_view( x: i64 = [i, k] )",
                              how)),
        {});
    expect_right(program, by_atomics, "atomic");
  }
}

/// Odd sizes, tiles that end at edges, one part more than there are points.
TEST_F(Combinations, atomics_of_tiles) {
  for (const std::vector<int64_t>& sizes : std::vector<std::vector<int64_t>>{
           {6, 8, 12}, {7, 5, 13}, {1, 1, 5}, {5, 7, 4}, {11, 3, 17}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", sizes[0], sizes[1], sizes[2]));
    const auto parts = [](int64_t size, int64_t tile) { return (size + tile - 1) / tile; };
    const std::string config = fmt::format(
        R"("layers": ["BLK", "DEV", "THR", "REG"],
           "split": {{"i": ["BLK {}", "THR 2", "REG 2"], "j": ["THR {}", "REG 2"],
                      "k": ["BLK {}", "DEV 3"]}},
           "order": ["BLK.i", "BLK.k", "THR.i", "THR.j", "DEV.k", "REG.i", "REG.j"],
           "acc": {{"C": [{{"inside": "DEV.k", "region": "RM"}}]}},
           "code": {{"combine": {{"BLK.k": "atomic"}}}})",
        parts(sizes[0], 4), parts(sizes[1], 2), parts(sizes[2], 3));
    for (const auto type : {scalar::Scalar::f32, scalar::Scalar::f16, scalar::Scalar::i32}) {
      expect_right(of_catalogue("matmul", type, sizes), config, "atomic");
    }
  }
}

TEST_F(Combinations, atomics_of_groups_that_stay_and_of_loops_of_the_host) {
  expect_right(of_catalogue("matvec", scalar::Scalar::i32, {6, 29}),
               R"("layers": ["BLK", "DEV", "THR"],
                  "split": {"i": ["BLK 2", "THR 3"], "k": ["BLK 4", "DEV 8"]},
                  "order": ["BLK.k", "BLK.i", "THR.i", "DEV.k"],
                  "code": {"combine": {"BLK.k": "atomic"}, "cores": {"BLK": {"count": 3}}})",
               "atomicAdd(");
  expect_right(of_catalogue("matmul", scalar::Scalar::i32, {6, 5, 22}),
               R"("layers": ["DEV", "BLK", "SHR", "THR"],
                  "split": {"i": ["DEV 2", "THR 3"], "j": ["BLK 5"], "k": ["BLK 4", "SHR 6"]},
                  "order": ["DEV.i", "BLK.j", "BLK.k", "THR.i", "SHR.k"],
                  "code": {"combine": {"BLK.k": "atomic"}})",
               "atomicAdd(");
}

// ---- clusters

const std::string in_clusters =
    R"("layers": ["BLK", "SHR", "THR"],
       "split": {"i": ["THR 5"], "k": ["BLK 4", "SHR 8"]}, "order": ["BLK.k", "THR.i", "SHR.k"],
       "code": {"combine": {"BLK.k": "cluster"}})";

TEST_F(Combinations, clusters_of_all_types) {
  for (const char* type :
       {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"}) {
    SCOPED_TRACE(type);
    expect_right(reduced(type, "add"), in_clusters, "mdh_of_member(");
    expect_right(sum_of(type), in_clusters, "mdh_of_member(");
  }
}

TEST_F(Combinations, clusters_of_records_and_of_several_results) {
  const std::string config =
      R"("layers": ["BLK", "SHR", "THR"], "split": {"i": ["BLK 5"], "j": ["BLK 4", "SHR 2", "THR 5"]},
         "order": ["BLK.i", "BLK.j", "THR.j", "SHR.j"], "code": {"combine": {"BLK.j": "cluster"}})";
  for (const char* name : {"prl", "prl_multi"}) {
    SCOPED_TRACE(name);
    expect_right(of_catalogue(name, scalar::Scalar::f64, {5, 37}), config, "mdh_of_member(");
  }
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
    expect_right(program, in_clusters, "mdh_of_member(");
  }
}

/// Odd sizes, tiles that end at edges, vectors, parts without points.
TEST_F(Combinations, clusters_of_tiles) {
  for (const std::vector<int64_t>& sizes : std::vector<std::vector<int64_t>>{
           {8, 16, 24}, {7, 5, 13}, {1, 1, 5}, {5, 7, 4}, {11, 3, 17}}) {
    for (const int64_t members : {2, 3, 8}) {
      SCOPED_TRACE(fmt::format("{} {} {}, {}", sizes[0], sizes[1], sizes[2], members));
      const auto parts = [](int64_t size, int64_t tile) { return (size + tile - 1) / tile; };
      const std::string config = fmt::format(
          R"("layers": ["BLK", "DEV", "THR", "REG", "VEC"],
             "split": {{"i": ["BLK {}", "THR 2", "REG 2"], "j": ["BLK {}", "THR 2", "VEC 4"],
                        "k": ["BLK {}", "DEV {}"]}},
             "order": ["BLK.i", "BLK.k", "BLK.j", "THR.i", "THR.j", "DEV.k", "REG.i", "VEC.j"],
             "stage": {{"A": [{{"from": "THR.i", "region": "SM"}}]}},
             "acc": {{"C": [{{"inside": "DEV.k", "region": "RM"}}]}},
             "code": {{"combine": {{"BLK.k": "cluster"}}}})",
          parts(sizes[0], 4), parts(sizes[1], 8), members, parts(sizes[2], members));
      for (const auto type : {scalar::Scalar::f32, scalar::Scalar::i8}) {
        expect_right(of_catalogue("matmul", type, sizes), config, "mdh_of_member(");
      }
    }
  }
}

TEST_F(Combinations, clusters_of_one_result) {
  for (const int members : {2, 3, 5, 8}) {
    SCOPED_TRACE(members);
    expect_right(of_catalogue("dot", scalar::Scalar::i32, {99}),
                 fmt::format(R"("layers": ["BLK", "REG", "THR"],
                     "split": {{"k": ["BLK {}", "REG {}", "THR 8"]}},
                     "order": ["BLK.k", "THR.k", "REG.k"],
                     "code": {{"combine": {{"BLK.k": "cluster", "THR.k": "shuffle"}}}})",
                             members, (99 + 8 * members - 1) / (8 * members)),
                 "mdh_of_member(");
  }
}

TEST_F(Combinations, clusters_on_axes_side_by_side_and_in_loops_of_the_host) {
  const hl::Program program = of_catalogue("matmul", scalar::Scalar::i32, {6, 5, 22});
  const std::string split =
      R"("layers": ["DEV", "BLK", "SHR", "THR"],
         "split": {"i": ["BLK 2", "THR 3"], "j": ["BLK 5"], "k": ["BLK 4", "SHR 6"]},
         "order": ["BLK.i", "BLK.k", "BLK.j", "THR.i", "SHR.k"], )";
  for (const char* tags : {R"("tags": {"BLK.k": "y", "BLK.j": "x", "BLK.i": "z", "THR.i": "x"}, )",
                           R"("tags": {"BLK.k": "x", "BLK.j": "z", "BLK.i": "y"}, )", ""}) {
    for (const char* cores : {"", R"(, "cores": {"BLK": {"swizzle": 2}})"}) {
      SCOPED_TRACE(fmt::format("{}{}", tags, cores));
      expect_right(
          program,
          fmt::format(R"({}{}"code": {{"combine": {{"BLK.k": "cluster"}}{}}})", split, tags, cores),
          "mdh_of_member(");
    }
  }
  expect_right(program,
               R"("layers": ["DEV", "BLK", "SHR", "THR"],
                  "split": {"i": ["DEV 2", "THR 3"], "j": ["BLK 5"], "k": ["DEV 2", "BLK 4", "SHR 3"]},
                  "order": ["DEV.i", "DEV.k", "BLK.j", "BLK.k", "THR.i", "SHR.k"],
                  "code": {"combine": {"BLK.k": "cluster"}})",
               "mdh_of_member(");
}

// ---- launches of their own

/// Few results of many parts: a group for each of them.
TEST_F(Combinations, launches_of_groups_that_share_parts) {
  const std::string config =
      R"("layers": ["BLK", "SHR", "THR", "REG"],
         "split": {{"i": ["{}"], "k": ["BLK {}", "THR 2"]}},
         "order": [{}], "code": {{"combine": {{"THR.k": "shuffle"}}}})";
  for (const int parts : {64, 67, 300}) {
    SCOPED_TRACE(parts);
    const hl::Program program = hl::instantiate(
        hl::parse(fmt::format("mdh 1\nrecord pair {{ value: f64; place: i8; }}\n"
                              "op larger(l, r) {{ y = if l.value < r.value || l.value == r.value "
                              "&& l.place < r.place then r else l; }}\n"
                              "program best = out_view( y: pair = [i] )"
                              " * md_hom( i: 3 by cc, k: {} by pw(larger) ) {{ y = pair{{ value = "
                              "x, place = i8(k) }}; }}"
                              " * inp_view( x: f64 = [i, k] )",
                              2 * parts - 1)),
        {});
    for (const auto& [level, order] : {std::pair{"BLK 3", R"("BLK.i", "BLK.k", "THR.k")"},
                                       std::pair{"REG 3", R"("BLK.k", "THR.k", "REG.i")"}}) {
      expect_right(program, fmt::format(fmt::runtime(config), level, parts, order), "__shfl");
    }
  }
}

// ---- scans

const std::string scan_of_groups =
    R"("layers": ["BLK", "WRP", "THR", "REG"],
       "split": {{"i": ["BLK {}", "WRP 2", "THR {}", "REG 3"]}},
       "order": ["BLK.i", "WRP.i", "THR.i", "REG.i"],
       "acc": {{"Out": [{{"inside": "WRP.i", "region": "SM"}}]}},
       "code": {{"combine": {{"BLK.i": "look_back", "THR.i": "shuffle"}}}})";

/// Groups look at all groups before them, or at more of them at once.
/// With two threads there are more groups than one of them looks at: 130, 134 and 400.
TEST_F(Combinations, scans_that_look_back) {
  for (const int64_t size : {7, 96, 100, 1560, 1603, 4800}) {
    for (const int threads : {2, 4, 32}) {
      const int64_t groups = (size + 6 * threads - 1) / (6 * threads);
      if (groups == 1) continue;
      SCOPED_TRACE(fmt::format("{} {}", size, threads));
      expect_right(of_catalogue("scan", scalar::Scalar::i32, {size}),
                   fmt::format(fmt::runtime(scan_of_groups), groups, threads), "mdh_tell((");
    }
  }
}

/// The last warp is not full: its first threads take nothing of anybody.
TEST_F(Combinations, scans_that_exchange_in_parts_of_warps) {
  const hl::Program program =
      hl::instantiate(hl::parse("mdh 1\nprogram sums = out_view( y: i32 = [i, k] )"
                                " * md_hom( i: 9 by cc, k: 19 by ps(add) ) { y = x; }"
                                " * inp_view( x: i32 = [i, k] )"),
                      {});
  for (const char* split : {R"("i": ["WRP 9"], "k": ["THR 4", "SHR 5"])",
                            R"("i": ["WRP 5", "SHR 2"], "k": ["THR 8", "SHR 3"])",
                            R"("i": ["WRP 9"], "k": ["THR 2", "SHR 10"])"}) {
    SCOPED_TRACE(split);
    const std::string order = std::string(split).find("\"SHR 2\"") == std::string::npos
                                  ? R"("WRP.i", "THR.k", "SHR.k")"
                                  : R"("WRP.i", "SHR.i", "THR.k", "SHR.k")";
    expect_right(program,
                 fmt::format(R"("layers": ["WRP", "THR", "SHR"], "split": {{{}}}, "order": [{}],
                                "code": {{"combine": {{"THR.k": "shuffle"}}}})",
                             split, order),
                 "__shfl_sync(");
  }
}

/// Cores around the grid are rounds of the host.
TEST_F(Combinations, scans_that_exchange_inside_of_loops_on_cores) {
  const hl::Program program =
      hl::instantiate(hl::parse("mdh 1\nprogram sums = out_view( y: i8 = [k] )"
                                " * md_hom( j: 4 by pw(min), k: 7 by ps(min) ) { y = x; }"
                                " * inp_view( x: i8 = [j, k] )"),
                      {});
  expect_right(
      program,
      R"("layers": ["THR", "BLK"], "split": {"j": ["THR 2", "BLK 2"], "k": ["THR 3", "BLK 3"]},
                  "order": ["THR.j", "BLK.k", "BLK.j", "THR.k"], "code": {"combine": {"THR.k": "shuffle"}})",
      "__shfl_sync(");
}

/// Rounds of the host are written out: every launch hears what was told in it.
TEST_F(Combinations, scans_that_look_back_in_several_launches) {
  const hl::Program program =
      hl::instantiate(hl::parse("mdh 1\nprogram sums = out_view( y: i16 = [k] )"
                                " * md_hom( j: 7 by pw(max), k: 9 by ps(max) ) { y = x; }"
                                " * inp_view( x: i16 = [j, k] )"),
                      {});
  expect_right(program,
               R"("layers": ["BLK", "VEC", "REG", "SHR"],
                  "split": {"j": ["REG 4", "SHR 2"], "k": ["BLK 3", "VEC 3"]},
                  "order": ["VEC.k", "REG.j", "BLK.k", "SHR.j"], "code": {"combine": {"BLK.k": "look_back"}})",
               "mdh_tell((");
}

TEST_F(Combinations, scans_of_all_types_that_look_back) {
  for (const char* type : {"i8", "i16", "i64", "u8", "u32", "f16", "f32", "f64"}) {
    SCOPED_TRACE(type);
    const hl::Program program =
        hl::instantiate(hl::parse(fmt::format("mdh 1\nprogram running = out_view( Out: {0} = [i] )"
                                              " * md_hom( i: 300 by ps(max) ) {{ Out = x; }}"
                                              " * inp_view( x: {0} = [i] )",
                                              type)),
                        {});
    const bool is_short = scalar::bytes_of(program.outputs.front().type) <= 4;
    expect_right(program, fmt::format(fmt::runtime(scan_of_groups), 13, 4),
                 is_short ? "mdh_tell((" : "mdh_tell_here((");
  }
}

TEST_F(Combinations, scans_of_lines_by_the_operator_of_the_user) {
  for (const auto& [size, groups] : {std::pair{77, 11}, std::pair{1009, 145}}) {
    const hl::Program program = hl::instantiate(
        hl::parse(fmt::format("mdh 1\nop both(l, r) {{ s = l.s + r.s; p = max(l.p, r.p); }}\n"
                              "program sums = out_view( s: i64 = [j, i]; p: i64 = [j, i] )"
                              " * md_hom( i: {} by ps(both), j: 5 by cc ) {{ s = x; p = x + j; }}"
                              " * inp_view( x: i64 = [i, j] )",
                              size)),
        {});
    for (const char* order :
         {R"("BLK.i", "THR.j", "REG.j", "SHR.i")", R"("BLK.i", "REG.j", "SHR.i", "THR.j")"}) {
      expect_right(program,
                   fmt::format(R"("layers": ["BLK", "THR", "SHR", "REG"],
                      "split": {{"i": ["BLK {}", "SHR 7"], "j": ["THR 2", "REG 3"]}},
                      "order": [{}], "code": {{"combine": {{"BLK.i": "look_back"}}}})",
                               groups, order),
                   "mdh_follow(");
    }
  }
}

/// Along one dimension groups look back, along the other one threads hand each other their totals.
TEST_F(Combinations, scans_of_several_dimensions) {
  const hl::Program program =
      hl::instantiate(hl::parse("mdh 1\nprogram area = out_view( y: i32 = [i, j] )"
                                " * md_hom( i: 90 by ps(add), j: 37 by ps(add) ) { y = x; }"
                                " * inp_view( x: i32 = [i, j] )"),
                      {});
  expect_right(program,
               R"("layers": ["BLK", "REG", "THR", "VEC"],
                  "split": {"i": ["BLK 30", "REG 3"], "j": ["BLK 3", "THR 7", "VEC 2"]},
                  "order": ["BLK.j", "BLK.i", "THR.j", "REG.i", "VEC.j"],
                  "acc": {"y": [{"inside": "THR.j", "region": "SM"}]},
                  "code": {"combine": {"BLK.i": "look_back", "THR.j": "shuffle"}})",
               "mdh_follow(");
}

}  // namespace
}  // namespace mdh::emulation::combinations_test
