// Scans as code: what is written, and that it means what the structured statements mean.
#include "mdh/passes/concrete/scan_code.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mdh/loop/evaluate.h"
#include "mdh/passes/common/test_programs.h"
#include "mdh/passes/concrete/scans.h"
#include "mdh/passes/pipeline.h"
#include "mdh/passes/structured/form_teams.h"

namespace mdh::passes::scan_code_test {
namespace {

/// y[i] = x[0] ⊕ ... ⊕ x[i] for 9 numbers in 12 parts.
loop::Program prefixes_with(const std::string& digits, const std::string& body) {
  return loop::parse(R"(mdh_loop 1
kernel prefixes
dimension i < 9 scanned
)" + digits + R"(buffer output y: i64[9]
buffer input x: i64[9]
buffer temporary u: i64[3, 4] in MM of all per ()
buffer temporary z: i64[3, 4] in MM of all per ()
function f(x: i64, i: i64) { y: i64 = x; }
function combine(l: i64, r: i64) { x: i64 = l + r; }
body {)" + loop::allocs_for(body, "buffer temporary u: buffer temporary z:") +
                     body + "}");
}

const std::string sequential =
    "digit a: L2.i < 3 of i step 4 sequential\ndigit b: L1.i < 4 of i step 1 sequential\n";

TEST(Combine, a_part_of_one_element_is_joined_with_the_one_before_it) {
  expect_rewrite_of(scans, prefixes_with(sequential, R"(deal cores () { loop a { loop b {
      scan_step b coarse () fine () lines () (y[a * 4 + b]);
    } } })"),
                    prefixes_with(sequential, R"(deal cores () { loop a { loop b {
      if b > 0 {
        if a * 4 + b < 9 {
          load y_before = y[a * 4 + (b - 1)];
          load y_after = y[a * 4 + b];
          combine y_joined = (y_before; y_after);
          store y[a * 4 + b] = y_joined;
        }
      }
    } } })"));
}

TEST(Combine, every_element_of_a_part_is_joined_with_the_last_one_before_the_part) {
  expect_rewrite_of(scans, prefixes_with(sequential, R"(deal cores () { loop a {
      scan_step a coarse () fine (b) lines () (y[a * 4 + b]);
    } })"),
                    prefixes_with(sequential, R"(deal cores () { loop a {
      if a > 0 {
        for - fine < 4 sequential {
          if fine + a * 4 < 9 {
            load y_before = y[(a - 1) * 4 + 3];
            load y_after = y[a * 4 + fine];
            combine y_joined = (y_before; y_after);
            store y[a * 4 + fine] = y_joined;
          }
        }
      }
    } })"));
}

TEST(Combine, parts_that_take_turns_are_joined_row_by_row_from_the_last_one) {
  expect_rewrite_of(scans, prefixes_with(sequential, R"(deal cores () { loop b {
      scan_step b coarse (a) fine () lines () (y[a * 4 + b]);
    } })"),
                    prefixes_with(sequential, R"(deal cores () { loop b {
      if b > 0 {
        for - row < 3 sequential {
          if (2 - row) * 4 + b < 9 {
            load y_before = y[(2 - row) * 4 + (b - 1)];
            load y_after = y[(2 - row) * 4 + b];
            combine y_joined = (y_before; y_after);
            store y[(2 - row) * 4 + b] = y_joined;
          }
          if 2 - row > 0 {
            for - other < b sequential {
              if (2 - row) * 4 + other < 9 {
                load y_before_ = y[(2 - row - 1) * 4 + b];
                load y_after_ = y[(2 - row) * 4 + other];
                combine y_joined_ = (y_before_; y_after_);
                store y[(2 - row) * 4 + other] = y_joined_;
              }
            }
          }
        }
      }
    } })"));
}

TEST(FormTeams, members_tell_their_totals_before_anybody_reads_them) {
  const std::string cores =
      "digit a: COR.i < 3 of i step 4 cores\ndigit b: L1.i < 4 of i step 1 sequential\n";
  expect_rewrite_of(form_teams, prefixes_with(cores, R"(
    scan_fix a coarse () fine (b) lines () (y[a * 4 + b]) totals (u[a, 0]) offset (z[a, 0]);)"),
                    prefixes_with(cores, R"(
    deal cores (a < 3) {
      if a * 4 + 3 < 9 { load y_total = y[a * 4 + 3]; store u[a, 0] = y_total; }
    }
    deal cores (a < 3) collective {
      if a * 4 < 9 {
        for - other < a sequential {
          load y_total_ = u[other, 0];
          if other == 0 {
            store z[a, 0] = y_total_;
          } else {
            load y_old = z[a, 0];
            combine y_joined = (y_old; y_total_);
            store z[a, 0] = y_joined;
          }
        }
        if a > 0 {
          for - fine < 4 sequential {
            if fine + a * 4 < 9 {
              load y_before = z[a, 0];
              load y_after = y[a * 4 + fine];
              combine y_joined_ = (y_before; y_after);
              store y[a * 4 + fine] = y_joined_;
            }
          }
        }
      }
    })"));
}

TEST(FormTeams, a_step_that_reads_what_other_cores_scanned_is_collective) {
  const std::string cores =
      "digit a: L2.i < 3 of i step 4 sequential\ndigit b: COR.i < 4 of i step 1 cores\n";
  expect_rewrite_of(form_teams, prefixes_with(cores, R"(
    loop a { scan_step a coarse () fine (b) lines () (y[a * 4 + b]); })"),
                    prefixes_with(cores, R"(
    loop a { deal cores () collective {
      if a > 0 {
        for - fine < 4 sequential {
          if fine + a * 4 < 9 {
            load y_before = y[(a - 1) * 4 + 3];
            load y_after = y[a * 4 + fine];
            combine y_joined = (y_before; y_after);
            store y[a * 4 + fine] = y_joined;
          }
        }
      }
    } })"));
}

// ---- all orders of loops

/// Digits of a scanned dimension with 11 points, and of lines next to it.
struct Level {
  std::string name;
  char dimension;
  int64_t parts, step;
};
const std::vector<Level> levels = {
    {"a", 'i', 2, 6}, {"b", 'i', 3, 2}, {"c", 'i', 2, 1}, {"l", 'j', 2, 1}};

std::string names_of(const std::vector<Level>& all) {
  std::vector<std::string> names;
  for (const Level& level : all) names.push_back(level.name);
  return join(names, ", ");
}

std::string counts_of(const std::vector<Level>& all) {
  std::vector<std::string> counts;
  for (const Level& level : all) counts.push_back(std::to_string(level.parts));
  return join(counts, ", ");
}

/// Loops in an order, some of them on cores: scanned as rules 15 and 16 of the model say.
class ScanNest {
 public:
  ScanNest(std::vector<Level> order, std::string cores, std::string how)
      : order_(std::move(order)), cores_(std::move(cores)), how_(std::move(how)) {}

  std::string text() {
    const std::string body = nest(0);
    std::string digits;
    for (const Level& level : order_) {
      digits += fmt::format("digit {}: L.{} < {} of {} step {} {}\n", level.name, level.dimension,
                            level.parts, level.dimension, level.step,
                            is_parallel(level) ? how_ : "sequential");
    }
    return "mdh_loop 1\nkernel scan\ndimension i < 11 scanned\ndimension j < 2 kept\n" + digits +
           "buffer output y: i64[11, 2]\nbuffer input x: i64[11, 2]\n" + buffers_ +
           "function f(x: i64, i: i64, j: i64) { y: i64 = x; }\n"
           "function combine(l: i64, r: i64) { x: i64 = l + r; }\nbody {" +
           body + "}";
  }

 private:
  bool is_parallel(const Level& level) const {
    return cores_.find(level.name) != std::string::npos;
  }

  std::string nest(size_t q) {
    if (q == order_.size()) return "accumulate (y[i, j]) first () from (x[i, j]);\n";
    const Level& level = order_[q];
    std::string inside = nest(q + 1), before, after;
    if (level.dimension == 'i') (is_parallel(level) ? after : inside) += joined(q, before);
    return fmt::format("{}loop {} {{ {} }}\n{}", before, level.name, inside, after);
  }

  std::string joined(size_t q, std::string& before) {
    const Level& level = order_[q];
    std::vector<Level> coarse, fine, lines, around;
    for (size_t r = 0; r < order_.size(); ++r) {
      const Level& other = order_[r];
      if (r < q && is_parallel(other)) around.push_back(other);
      if (r <= q) continue;
      (other.dimension != 'i' ? lines : other.step > level.step ? coarse : fine).push_back(other);
    }
    const auto significant = [](const Level& x, const Level& y) { return x.step > y.step; };
    std::sort(coarse.begin(), coarse.end(), significant);
    std::sort(fine.begin(), fine.end(), significant);
    const std::string shape =
        fmt::format("{} coarse ({}) fine ({}) lines ({}) (y[a * 6 + b * 2 + c, l])", level.name,
                    names_of(coarse), names_of(fine), names_of(lines));
    if (!is_parallel(level)) return "scan_step " + shape + ";\n";
    std::vector<Level> axes = lines;
    axes.insert(axes.end(), coarse.begin(), coarse.end());
    axes.push_back(level);
    const std::string t = "t" + level.name, z = "z" + level.name, per = names_of(around);
    buffers_ += fmt::format("buffer temporary {}: i64[{}] in MM of all per ({})\n", t,
                            counts_of(axes), per);
    buffers_ += fmt::format("buffer temporary {}: i64[{}] in MM of all per ({})\n", z,
                            counts_of(axes), per);
    before = fmt::format("alloc {}; alloc {};", t, z);
    return fmt::format("scan_fix {} totals ({}[{}]) offset ({}[{}]);\n", shape, t, names_of(axes),
                       z, names_of(axes));
  }

  std::vector<Level> order_;
  std::string cores_, how_, buffers_;
};

void expect_prefixes(const loop::Program& p, uint64_t seed) {
  scalar::ProvenanceAlgebra algebra({11, 2}, 1);
  scalar::Array x = scalar::Array::undefined(scalar::Scalar::i64, {11, 2});
  std::fill(x.defined.begin(), x.defined.end(), uint8_t{1});
  const scalar::Array y = loop::evaluate(p, {x}, algebra, seed).at(0);
  for (int64_t j = 0; j < 2; ++j) {
    std::vector<int64_t> expected;
    for (int64_t i = 0; i < 11; ++i) {
      expected.push_back(i * 2 + j);
      ASSERT_EQ(algebra.points(y.cells[i * 2 + j]), expected) << i << " " << j;
    }
  }
}

void expect_round_trip(const loop::Program& p) { EXPECT_EQ(loop::parse(loop::print(p)), p); }

/// Every order of the loops, any of them on cores.
void expect_prefixes_in_every_order(const std::string& how) {
  std::vector<size_t> order = {0, 1, 2, 3};
  uint64_t seed = 0;
  do {
    std::vector<Level> nest;
    for (const size_t n : order) nest.push_back(levels[n]);
    for (const std::string cores : {"", "a", "b", "c", "bl", "ac", "abcl"}) {
      const loop::Program p = loop::parse(ScanNest(nest, cores, how).text());
      SCOPED_TRACE(loop::print(p));
      ASSERT_NO_FATAL_FAILURE(expect_prefixes(p, ++seed));
      for (const Teams teams : {Teams::one, Teams::nested}) {
        const loop::Program code = run_pipeline(p, {.teams = teams});
        expect_round_trip(code);
        SCOPED_TRACE(loop::print(code));
        ASSERT_NO_THROW({ ASSERT_NO_FATAL_FAILURE(expect_prefixes(code, seed)); });
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(ScanCode, all_orders_of_loops_on_cores_give_all_prefixes) {
  expect_prefixes_in_every_order("cores");
}

TEST(ScanCode, all_orders_of_loops_on_a_grid_give_all_prefixes) {
  expect_prefixes_in_every_order("grid");
}

}  // namespace
}  // namespace mdh::passes::scan_code_test
