// What a configuration says of the edges of dimensions, from the plan to concrete loops.
#include <gtest/gtest.h>

#include <set>

#include "mdh/hl/evaluate.h"
#include "mdh/loop/evaluate.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/test_plans.h"

namespace mdh::passes::edge_decisions_test {
namespace {

using loop::Stmt;

const std::string matmul =
    "mat = out_view( C: i64 = [i, j] )"
    " * md_hom( i: 7 by cc, j: 13 by cc, k: 5 by pw(add) ) { C = A * B; }"
    " * inp_view( A: i64 = [i, k]; B: i64 = [k, j] )";

/// Tiles of 2 x 8; B is read in place, or copied.
std::string entries(const std::string& edges, bool copied = false) {
  const std::string stage =
      copied ? R"("stage": {"B": [{"from": "L1.i", "region": "L1", "layout": ["k@L1",
                           "j@REG", "j@SIMD"]}]},)"
             : "";
  return stage +
         R"("machine": "cpu", "layers": ["COR", "L1", "REG", "SIMD"],
     "split": {"i": ["L1 4", "REG 2"], "j": ["L1 2", "REG 2", "SIMD 4"], "k": ["L1 5"]},
     "order": ["L1.j", "L1.i", "L1.k", "REG.i", "REG.j", "SIMD.j"],
     "acc": {"C": [{"inside": "L1.k", "region": "REG"}]}, "code": {"edge": {)" +
         edges + "}}";
}

struct Lowered {
  loop::Program before;  // straight code is made
  loop::Program after;
};

Lowered lowered(const std::string& program, const std::string& configuration) {
  Lowered result{plan_of(program, configuration, "cpu"), {}};
  result.after = run_pipeline(result.before, {}, [&](const Pass& pass, const loop::Program& p) {
    if (pass.name == "last-rounds") result.before = p;
  });
  return result;
}

int64_t count(const loop::Block& block, const std::function<bool(const Stmt&)>& holds) {
  int64_t found = 0;
  for (const Stmt& s : block) {
    found += holds(s) ? 1 : 0;
    loop::for_each_child(s, [&](const loop::Block& child) { found += count(child, holds); });
  }
  return found;
}

/// Loops over registers or lanes of a dimension that end at its edge.
int64_t bounded(const loop::Program& p, int dimension) {
  return count(p.body, [&](const Stmt& s) {
    const loop::For* loop = as_replicated(s);
    return loop && is_digit(p, loop->var) && !constant(loop->trip) &&
           find_digit(p, loop->var).dimension == dimension;
  });
}

int64_t second_bodies(const loop::Program& p) {
  return count(p.body, [](const Stmt& s) {
    const auto* choice = s.as<loop::If>();
    return choice &&
           any_of(choice->then, [](const Stmt& t) { return as_replicated(t) != nullptr; }) &&
           any_of(choice->otherwise, [](const Stmt& t) { return as_replicated(t) != nullptr; });
  });
}

int64_t guards(const loop::Program& p) {
  return count(p.body, [](const Stmt& s) {
    const loop::For* loop = as_replicated(s);
    return loop && constant(loop->trip) && loop->body.size() == 1 &&
           loop->body.front().as<loop::If>();
  });
}

bool shifts(const loop::Program& p, const std::string& dimension) {
  return any_of(p.body, [&](const Stmt& s) {
    const auto* let = s.as<loop::Let>();
    return let && let->var.name.rfind("shift_" + dimension, 0) == 0;
  });
}

std::string complaint(const std::string& configuration, const std::string& program = matmul) {
  try {
    lowered(program, configuration);
  } catch (const Error& e) {
    const Diagnostic& d = e.diagnostic();
    return fmt::format("{} {} | {}", d.code, d.message, d.hint);
  }
  return "accepted";
}

TEST(Edges, without_a_word_tiles_are_shifted_back) {
  const loop::Program p = lowered(matmul, entries("")).before;
  EXPECT_TRUE(shifts(p, "i"));
  EXPECT_TRUE(shifts(p, "j"));
  EXPECT_EQ(lowered(matmul, entries(R"("i": "auto", "j": "auto")")).after,
            lowered(matmul, entries("")).after);
}

TEST(Edges, overlap_is_the_code_that_shifts) {
  loop::Program p = lowered(matmul, entries(R"("i": "overlap", "j": "overlap")")).after;
  for (loop::Dimension& d : p.dimensions) d.edge = loop::Edge::automatic;
  EXPECT_EQ(p, lowered(matmul, entries("")).after);
}

TEST(Edges, clamped_loops_end_at_the_edge_in_the_only_body) {
  const loop::Program p = lowered(matmul, entries(R"("i": "clamp", "j": "clamp")")).before;
  EXPECT_GT(bounded(p, 0), 0);
  EXPECT_GT(bounded(p, 1), 0);
  EXPECT_EQ(second_bodies(p), 0);
  EXPECT_FALSE(shifts(p, "i") || shifts(p, "j"));
}

TEST(Edges, each_dimension_has_its_own) {
  const loop::Program p = lowered(matmul, entries(R"("i": "clamp")")).before;
  EXPECT_GT(bounded(p, 0), 0);
  EXPECT_FALSE(shifts(p, "i"));
  EXPECT_TRUE(shifts(p, "j"));
}

TEST(Edges, masked_loops_run_on_and_elements_ask) {
  const loop::Program p = lowered(matmul, entries(R"("i": "mask", "j": "mask")")).before;
  EXPECT_EQ(bounded(p, 0) + bounded(p, 1), 0);
  EXPECT_EQ(second_bodies(p), 0);
  EXPECT_GT(guards(p), 0);
  EXPECT_FALSE(shifts(p, "i") || shifts(p, "j"));
}

TEST(Edges, reductions_may_be_clamped_or_masked) {
  const std::string tiled =
      R"("machine": "cpu", "layers": ["L1", "REG"], "split": {"i": ["L1 7"], "k": ["L1 3", "REG 4"]},
         "order": ["L1.i", "L1.k", "REG.k"], "code": {"edge": {"k": ")";
  const std::string program = matvec_program(7, 10);
  EXPECT_EQ(second_bodies(lowered(program, tiled + "auto\"}}").before), 1);
  const loop::Program clamped = lowered(program, tiled + "clamp\"}}").before;
  EXPECT_EQ(second_bodies(clamped), 0);
  EXPECT_EQ(bounded(clamped, 1), 1);
  const loop::Program masked = lowered(program, tiled + "mask\"}}").before;
  EXPECT_EQ(bounded(masked, 1), 0);
  EXPECT_EQ(guards(masked), 1);
}

TEST(Edges, padded_tiles_are_whole_and_never_shifted) {
  const Lowered automatic = lowered(matmul, entries("", true));
  Lowered padded = lowered(matmul, entries(R"("j": "pad")", true));
  for (loop::Dimension& d : padded.after.dimensions) d.edge = loop::Edge::automatic;
  EXPECT_EQ(padded.after, automatic.after);
  EXPECT_FALSE(shifts(padded.before, "j"));
  EXPECT_NE(lowered(matmul, entries(R"("j": "clamp")", true)).after.body, automatic.after.body);
}

TEST(Edges, what_cannot_be_padded_or_shifted_is_refused_with_a_reason) {
  EXPECT_EQ(complaint(entries(R"("j": "pad")")),
            "E353 code.edge.j: nothing can be padded: no tile of registers reads along it what was "
            "copied to a memory, and nothing else | auto, clamp or mask; overlap where tiles read "
            "the user's buffers");
  const std::string indexed =
      "mat = out_view( C: i64 = [i, j] )"
      " * md_hom( i: 7 by cc, j: 13 by cc, k: 5 by pw(add) ) { C = A * B + j; }"
      " * inp_view( A: i64 = [i, k]; B: i64 = [k, j] )";
  EXPECT_NE(complaint(entries(R"("j": "pad")", true), indexed).find("f takes the index j"),
            std::string::npos);
  EXPECT_EQ(complaint(entries(R"("j": "overlap")", true)).substr(0, 62),
            "E353 code.edge.j: the last tile cannot be shifted back | only ");
  EXPECT_EQ(complaint(entries(R"("i": "overlap")", true)), "accepted");
}

TEST(Edges, tiles_that_divide_the_size_can_have_any_word) {
  const std::string even =
      "mat = out_view( C: i64 = [i, j] )"
      " * md_hom( i: 8 by cc, j: 16 by cc, k: 5 by pw(add) ) { C = A * B; }"
      " * inp_view( A: i64 = [i, k]; B: i64 = [k, j] )";
  std::set<std::string> bodies;
  for (const char* edge : {"auto", "clamp", "pad", "mask", "overlap"}) {
    loop::Program p = lowered(even, entries(fmt::format(R"("i": "{0}", "j": "{0}")", edge))).after;
    for (loop::Dimension& d : p.dimensions) d.edge = loop::Edge::automatic;
    bodies.insert(loop::print(p));
  }
  EXPECT_EQ(bodies.size(), 1U);
}

TEST(Edges, whatever_they_are_the_result_is_the_same) {
  const hl::Program program = computation(matmul);
  Random random(7);
  const std::vector<scalar::Array> inputs = random_inputs(random, program);
  const std::vector<scalar::Array> expected = hl::evaluate(program, inputs);
  int accepted = 0;
  for (const char* i : {"auto", "clamp", "mask", "overlap"}) {
    for (const char* j : {"auto", "clamp", "pad", "mask", "overlap"}) {
      for (const bool copied : {false, true}) {
        const std::string text = entries(fmt::format(R"("i": "{}", "j": "{}")", i, j), copied);
        if (complaint(text) != "accepted") continue;
        ++accepted;
        EXPECT_EQ(loop::evaluate(lowered(matmul, text).after, inputs), expected) << text;
      }
    }
  }
  EXPECT_GE(accepted, 20) << "of 40";
}

}  // namespace
}  // namespace mdh::passes::edge_decisions_test
