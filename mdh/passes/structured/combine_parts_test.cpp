// Parts that cores hand each other, and parts that the last member of a grid combines.
#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/loop/evaluate.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/test_plans.h"

namespace mdh::passes::combine_parts_test {
namespace {

const TargetFacts cuda_like{.teams = Teams::nested,
                            .access_bytes = 16,
                            .lockstep = 32,
                            .exchanges = true,
                            .knows_last = true,
                            .atomics = true};
const TargetFacts without{.teams = Teams::nested, .access_bytes = 16, .lockstep = 32};

int64_t count_of(const std::string& text, const std::string& what) {
  int64_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

std::string loops_of(const loop::Program& plan, const TargetFacts& facts) {
  return loop::print(run_pipeline(plan, facts));
}

/// Two results of one operator; some dimensions have parts that hold nothing.
const std::string two =
    "two = out_view( y: i64 = [i]; z: i64 = [i] )"
    " * md_hom( k: 11 by pw(add, max), i: 3 by cc ) { y = x + i; z = k * x; }"
    " * inp_view( x: i64 = [i, k] )";

struct Case {
  std::string split, order, acc, combine;
};

loop::Program plan_with(const std::string& program, const Case& c) {
  return plan_of(program,
                 fmt::format(R"("machine": "gpu",
                     "layers": ["BLK", "DEV", "SHR", "REG", "WRP", "THR", "VEC"], "split": {{{}}},
                     "order": [{}], "acc": {{{}}}, "code": {{"combine": {{{}}}}})",
                             c.split, c.order, c.acc, c.combine),
                 "gpu");
}

void expect_right(const std::string& program, const loop::Program& plan) {
  const hl::Program computed = computation(program);
  Random random(7);
  const std::vector<scalar::Array> inputs = random_inputs(random, computed);
  const std::vector<scalar::Array> expected = hl::evaluate(computed, inputs);
  EXPECT_EQ(loop::evaluate(plan, inputs), expected) << loop::print(plan);
  for (const TargetFacts& facts : {cuda_like, without}) {
    for (const uint64_t seed : {1, 2, 3}) {
      const loop::Program loops = run_pipeline(plan, facts);
      EXPECT_EQ(loop::evaluate(loops, inputs, seed), expected) << loop::print(loops);
    }
  }
}

TEST(Exchanges, any_number_of_parts_in_one_warp) {
  for (const int parts : {2, 3, 4, 5, 7, 8, 11, 16, 32}) {
    const loop::Program plan =
        plan_with(two, {fmt::format(R"("k": ["SHR {}", "THR {}"], "i": ["BLK 3"])",
                                    (11 + parts - 1) / parts, parts),
                        R"("BLK.i", "THR.k", "SHR.k")", "", R"("THR.k": "shuffle")"});
    expect_right(two, plan);
    int64_t steps = 0;
    for (int reach = 1; reach < parts; reach *= 2) ++steps;
    EXPECT_EQ(count_of(loops_of(plan, cuda_like), "exchange ("), 2 * steps) << parts;
    EXPECT_EQ(count_of(loops_of(plan, without), "exchange ("), 0) << parts;
  }
}

TEST(Exchanges, other_threads_around_and_inside) {
  const auto text = [](const Case& c) {
    const loop::Program plan = plan_with(two, c);
    expect_right(two, plan);
    return loops_of(plan, cuda_like);
  };
  // Behind the parts of k lie those of i: two values of k are three cores apart.
  EXPECT_EQ(count_of(text({R"("k": ["SHR 3", "THR 4"], "i": ["THR 3"])",
                           R"("THR.k", "THR.i", "SHR.k")", "", R"("THR.k": "shuffle")"}),
                     "exchange (thr_k < 4, thr_i < 3) over thr_k"),
            4);
  EXPECT_EQ(count_of(text({R"("k": ["SHR 3", "THR 4"], "i": ["WRP 3"])",
                           R"("WRP.i", "THR.k", "SHR.k")", "", R"("THR.k": "shuffle")"}),
                     "exchange (wrp_i < 3, thr_k < 4) over thr_k"),
            4);
  // Three values of k in a row, ten times: some of them are in two warps.
  EXPECT_EQ(count_of(text({R"("k": ["SHR 1", "WRP 11", "THR 3"], "i": ["SHR 3"])",
                           R"("SHR.i", "WRP.k", "THR.k")", "",
                           R"("THR.k": "shuffle", "WRP.k": "team_tree")"}),
                     "exchange ("),
            0);
}

TEST(Exchanges, tiles_of_registers) {
  const std::string program =
      "rows = out_view( y: i64 = [i, j] )"
      " * md_hom( i: 5 by cc, j: 7 by cc, k: 9 by pw(add) ) { y = a * b; }"
      " * inp_view( a: i64 = [i, k]; b: i64 = [k, j] )";
  for (const int parts : {2, 4, 8}) {
    const loop::Program plan = plan_with(
        program, {fmt::format(R"("i": ["BLK 2", "REG 3"], "j": ["BLK 4", "VEC 2"],
                                 "k": ["SHR {}", "THR {}"])",
                              (9 + parts - 1) / parts, parts),
                  R"("BLK.i", "BLK.j", "THR.k", "SHR.k", "REG.i", "VEC.j")",
                  R"("y": [{"inside": "SHR.k", "region": "RM"}])", R"("THR.k": "shuffle")"});
    expect_right(program, plan);
    EXPECT_GT(count_of(loops_of(plan, cuda_like), "exchange ("), 5) << parts;
  }
}

TEST(Exchanges, the_order_of_the_parts_is_kept) {
  const std::string program = pw_program("k: 11 by pw(add)", "[k]");
  Random random(4);
  const std::vector<scalar::Array> inputs = random_inputs(random, computation(program));
  for (const int parts : {2, 3, 5, 8, 11}) {
    const auto plan = [&](const char* how) {
      return loop::print(plan_with(
          program, {fmt::format(R"("k": ["SHR {}", "THR {}"])", (11 + parts - 1) / parts, parts),
                    R"("THR.k", "SHR.k")", "", fmt::format(R"("THR.k": "{}")", how)}));
    };
    for (const char* taken : {"= l;", "= r;"}) {
      const auto result = [&](std::string text) {
        const size_t at = text.find("= l + r;");
        text.replace(at, 8, taken);
        return loop::evaluate(run_pipeline(loop::parse(text), cuda_like), inputs);
      };
      EXPECT_EQ(result(plan("shuffle")), result(plan("auto"))) << parts << taken;
    }
  }
}

/// Cores of a grid outside of whose members nothing is private.
TEST(Exchanges, threads_around_blocks_meet_in_memory) {
  const loop::Program plan =
      plan_with(two, {R"("k": ["SHR 3", "THR 4"], "i": ["BLK 3"])", R"("THR.k", "BLK.i", "SHR.k")",
                      "", R"("THR.k": "shuffle")"});
  expect_right(two, plan);
  EXPECT_EQ(count_of(loops_of(plan, cuda_like), "exchange ("), 0);
}

/// What parts of a scan tell each other is not private to them.
TEST(Exchanges, threads_around_scans_meet_in_memory) {
  const std::string program =
      "sums = out_view( y: i64 = [s] )"
      " * md_hom( k: 4 by pw(add), s: 12 by ps(add) ) { y = x; }"
      " * inp_view( x: i64 = [k, s] )";
  for (const char* order : {R"("THR.k", "SHR.s", "THR.s")", R"("THR.k", "THR.s", "SHR.s")"}) {
    const loop::Program plan = plan_with(program, {R"("k": ["THR 4"], "s": ["SHR 3", "THR 4"])",
                                                   order, "", R"("THR.k": "shuffle")"});
    expect_right(program, plan);
    EXPECT_EQ(count_of(loops_of(plan, cuda_like), "exchange ("), 0);
  }
}

TEST(DoneLast, any_number_of_blocks) {
  for (const int parts : {2, 3, 5, 8, 11, 16}) {
    for (const std::string order :
         {R"("BLK.k", "BLK.i", "SHR.k")", R"("BLK.i", "BLK.k", "SHR.k")"}) {
      const loop::Program plan =
          plan_with(two, {fmt::format(R"("k": ["BLK {}", "SHR {}"], "i": ["BLK 3"])", parts,
                                      (11 + parts - 1) / parts),
                          order, "", R"("BLK.k": "last_core")"});
      expect_right(two, plan);
      EXPECT_EQ(count_of(loops_of(plan, cuda_like), "last blk_k {"), 1) << parts;
      EXPECT_EQ(count_of(loops_of(plan, cuda_like), "deal all"), 0) << parts;
      EXPECT_EQ(count_of(loops_of(plan, without), "deal all"), 1) << parts;
    }
  }
}

/// Many parts of few elements are shared by the cores, and meet in steps.
TEST(DoneLast, many_parts_of_few_elements) {
  const std::string program =
      "sums = out_view( y: i64 = [i]; z: i64 = [i] )"
      " * md_hom( i: 3 by cc, k: 157 by pw(add, max) ) { y = x + i; z = k * x; }"
      " * inp_view( x: i64 = [i, k] )";
  for (const int parts : {8, 31, 64, 79, 157}) {
    const loop::Program plan =
        plan_with(program, {fmt::format(R"("i": ["THR 3"], "k": ["BLK {}", "SHR {}"])", parts,
                                        (157 + parts - 1) / parts),
                            R"("BLK.k", "THR.i", "SHR.k")", "", R"("BLK.k": "last_core")"});
    expect_right(program, plan);
    EXPECT_GT(count_of(loops_of(plan, cuda_like), "some"), 0) << parts;
  }
}

/// Where results go on to another combination, and where a grid has two reduced dimensions.
TEST(DoneLast, only_one_combination_is_the_end_of_a_share) {
  const std::string program =
      "both = out_view( y: i64 = [i] )"
      " * md_hom( i: 3 by cc, j: 4 by pw(add), k: 5 by pw(add) ) { y = x + j * k; }"
      " * inp_view( x: i64 = [i, j, k] )";
  const loop::Program plan = plan_with(
      program, {R"("i": ["SHR 3"], "j": ["BLK 4"], "k": ["BLK 5"])", R"("BLK.j", "BLK.k", "SHR.i")",
                "", R"("BLK.j": "last_core", "BLK.k": "last_core")"});
  expect_right(program, plan);
  EXPECT_EQ(count_of(loops_of(plan, cuda_like), "last blk_"), 1);
  EXPECT_EQ(count_of(loops_of(plan, cuda_like), "deal all"), 1);
}

TEST(DoneLast, tiles_and_borders) {
  const std::string program =
      "rows = out_view( y: i64 = [i, j] )"
      " * md_hom( i: 5 by cc, j: 7 by cc, k: 9 by pw(add) ) { y = a * b; }"
      " * inp_view( a: i64 = [i, k]; b: i64 = [k, j] )";
  const loop::Program plan = plan_with(
      program,
      {R"("i": ["BLK 2", "REG 3"], "j": ["BLK 2", "THR 2", "VEC 2"],
                   "k": ["BLK 3", "WRP 3"])",
       R"("BLK.i", "BLK.k", "BLK.j", "WRP.k", "THR.j", "REG.i", "VEC.j")",
       R"("y": [{"inside": "WRP.k", "region": "SM"}, {"inside": "REG.i", "region": "RM"}])",
       R"("BLK.k": "last_core")"});
  expect_right(program, plan);
  EXPECT_EQ(count_of(loops_of(plan, cuda_like), "last blk_k {"), 1);
}

/// Without a last member there is a launch for them: a group for each element, if elements are few and
/// parts are many.
TEST(LaunchOfItsOwn, many_parts_of_few_elements_are_shared) {
  const std::string program =
      "sums = out_view( y: i64 = [i]; z: i64 = [i] )"
      " * md_hom( i: 3 by cc, k: 157 by pw(add, max) ) { y = x + i; z = k * x; }"
      " * inp_view( x: i64 = [i, k] )";
  for (const int parts : {31, 64, 79, 157}) {
    for (const char* order : {R"("BLK.i", "BLK.k", "SHR.k")", R"("BLK.k", "BLK.i", "SHR.k")"}) {
      const loop::Program plan =
          plan_with(program, {fmt::format(R"("i": ["BLK 3"], "k": ["BLK {}", "SHR {}"])", parts,
                                          (157 + parts - 1) / parts),
                              order, "", ""});
      expect_right(program, plan);
      EXPECT_EQ(count_of(loops_of(plan, cuda_like), "deal all"), parts < 64 ? 1 : 0) << parts;
      EXPECT_EQ(count_of(loops_of(plan, cuda_like), "some") > 0, parts >= 64) << parts;
    }
  }
}

/// Bytes in the memory of groups, where so many records of so many numbers have 2048 parts.
int64_t bytes_of_groups(int results, int numbers) {
  std::vector<std::string> record, both, made, outputs, operators, values;
  for (int n = 0; n < numbers; ++n) {
    record.push_back(fmt::format("a{}: f64;", n));
    both.push_back(fmt::format("a{0} = l.a{0} + r.a{0}", n));
    made.push_back(fmt::format("a{} = x", n));
  }
  for (int n = 0; n < results; ++n) {
    outputs.push_back(fmt::format("y{}: many = [0]", n));
    operators.push_back("sums");
    values.push_back(fmt::format("y{} = many{{ {} }};", n, fmt::join(made, ", ")));
  }
  const hl::Program program = hl::parse(
      fmt::format("mdh 1\nrecord many {{ {} }}\nop sums(l, r) {{ return many{{ {} }}; }}\n"
                  "program p = out_view( {} ) * md_hom( k: 2048 by pw({}) ) {{ {} }}"
                  " * inp_view( x: f64 = [k] )",
                  fmt::join(record, " "), fmt::join(both, ", "), fmt::join(outputs, "; "),
                  fmt::join(operators, ", "), fmt::join(values, " ")));
  const machine::Machine& m = machine::find_machine("gpu");
  const ll::Config c = config(R"("machine": "gpu", "layers": ["BLK"], "split": {"k": ["BLK 2048"]},
                                 "order": ["BLK.k"])");
  int64_t bytes = 0;
  for (const loop::Buffer& b : run_pipeline(plan(lower(program, m, c), m), cuda_like).buffers) {
    if (b.scope == loop::Scope::group) bytes += loop::bytes_of(b);
  }
  return bytes;
}

TEST(LaunchOfItsOwn, shares_have_room) {
  EXPECT_EQ(bytes_of_groups(1, 1), (256 + 32) * 8);
  EXPECT_EQ(bytes_of_groups(1, 10), (128 + 32) * 80);
  EXPECT_EQ(bytes_of_groups(2, 10), (64 + 32) * 160);
  EXPECT_EQ(bytes_of_groups(1, 100), 16 * 800);
  EXPECT_EQ(bytes_of_groups(11, 100), 0) << "one core after the other has to do";
}

TEST(LaunchOfItsOwn, parts_of_two_dimensions_and_loops_of_the_host) {
  const std::string program =
      "both = out_view( y: i64 = [i] )"
      " * md_hom( i: 3 by cc, j: 67 by pw(add), k: 71 by pw(add) ) { y = x + j * k; }"
      " * inp_view( x: i64 = [i, j, k] )";
  for (const char* order : {R"("BLK.j", "BLK.k", "SHR.i")", R"("SHR.i", "BLK.k", "BLK.j")"}) {
    expect_right(program, plan_with(program, {R"("i": ["SHR 3"], "j": ["BLK 67"], "k": ["BLK 71"])",
                                              order, "", ""}));
  }
}

}  // namespace
}  // namespace mdh::passes::combine_parts_test
