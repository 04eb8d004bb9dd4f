// Programs, configurations and data for the tests of this folder; nothing else includes it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mdh/hl/analysis.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/config.h"
#include "mdh/loop/parse.h"
#include "mdh/loop/print.h"
#include "mdh/loop/testing.h"
#include "mdh/loop/verify.h"
#include "mdh/passes/pass.h"
#include "mdh/support/random.h"
#include "mdh/support/testing.h"
#include "mdh/support/text.h"

namespace mdh::passes {

inline hl::Program computation(const std::string& text) {
  return hl::parse("mdh 1\nprogram " + text);
}

/// A GPU with all that printed code may ask of one.
inline constexpr TargetFacts facts_of_gpus{.teams = Teams::nested,
                                           .access_bytes = 16,
                                           .lockstep = 32,
                                           .exchanges = true,
                                           .knows_last = true,
                                           .atomics = true,
                                           .follows = true,
                                           .most_that_meet = 8};

/// The layers, split and order of a configuration: `"layers": [...], ...`.
inline ll::Config config(const std::string& entries) {
  return ll::parse_config("{\"mdh_config\": 1, " + entries + "}");
}

// ---- passes on text

/// What a test declares besides what its program always has.
struct More {
  std::string digits = {};
  std::string buffers = {};
};

/// w = M v with 7 rows and 10 columns. Rows: p, or o and n with a part too many, or c on cores.
/// Columns: q, or r and s, or d on cores and s.
inline std::string matvec_text(const std::string& body, const More& more = {}) {
  return R"(mdh_loop 1
kernel matvec
dimension i < 7 kept
dimension k < 10 reduced
digit p: L1.i < 7 of i step 1 sequential
digit o: L2.i < 5 of i step 2 sequential
digit n: L3.i < 2 of i step 1 sequential
digit c: COR.i < 7 of i step 1 cores
digit q: L1.k < 10 of k step 1 sequential
digit r: L2.k < 5 of k step 2 sequential
digit d: COR.k < 5 of k step 2 cores
digit s: L3.k < 2 of k step 1 sequential
)" + more.digits +
         R"(buffer output w: i64[7]
buffer input M: i64[7, 10]
buffer input v: i64[10]
buffer temporary t: i64[7, 5] in MM of all per ()
)" + more.buffers +
         R"(function f(M: i64, v: i64, i: i64, k: i64) { w: i64 = M * v; }
function combine(l: i64, r: i64) { x: i64 = l + r; }
body {)" +
         loop::allocs_for(body, "buffer temporary t:" + more.buffers) + body + "}";
}

inline loop::Program matvec_with(const std::string& body, const More& more = {}) {
  return loop::parse(matvec_text(body, more));
}

/// A pass turns one program into another, and both verify.
inline void expect_rewrite_of(PassFunction pass, const loop::Program& before,
                              const loop::Program& after, const TargetFacts& facts = {}) {
  const loop::Program result = pass(before, facts);
  EXPECT_EQ(loop::print(result), loop::print(after));
  loop::verify(result);
}

/// The same for bodies of matvec.
inline void expect_rewrite(PassFunction pass, const std::string& before, const std::string& after,
                           const More& more = {}, const TargetFacts& facts = {}) {
  expect_rewrite_of(pass, matvec_with(before, more), matvec_with(after, more), facts);
}

inline void expect_unchanged(PassFunction pass, const std::string& body, const More& more = {}) {
  expect_rewrite(pass, body, body, more);
}

// ---- random cases

/// Reductions of all sorts, several accesses, outputs and results, indices that run backwards.
inline hl::Program random_computation(Random& random) {
  const auto size = [&] { return random.between(1, 7); };
  const int64_t n = size();
  const std::vector<std::string> texts = {
      fmt::format("dot = out_view( s: i64 = [] ) * md_hom( k: {} by pw(add) ) {{ s = x * y; }}"
                  " * inp_view( x: i64 = [k]; y: i64 = [k] )",
                  random.between(1, 20)),
      fmt::format("mat = out_view( C: i64 = [j, i] )"
                  " * md_hom( i: {} by cc, j: {} by cc, k: {} by pw(add) ) {{ C = A * B; }}"
                  " * inp_view( A: i64 = [i, k]; B: i64 = [k, j] )",
                  size(), size(), size()),
      fmt::format("two = out_view( y: i64 = [i]; z: i64 = [i + 1] )"
                  " * md_hom( k: {} by pw(add, max), i: {} by cc ) {{ y = x + i; z = k * x; }}"
                  " * inp_view( x: i64 = [i, k] )",
                  size(), size()),
      fmt::format("stencil = out_view( y: i64 = [i] )"
                  " * md_hom( i: {} by cc ) {{ y = x.1 - 2 * x.2 + x.3; }}"
                  " * inp_view( x: i64 = [i], [i + 1], [i + 2] )",
                  random.between(1, 30)),
      fmt::format("least = out_view( y: i64 = [i] )"
                  " * md_hom( k: {} by pw(min), i: {} by cc, l: {} by pw(min) ) {{ y = x; }}"
                  " * inp_view( x: i64 = [i, k + 2 * l] )",
                  size(), size(), size()),
      fmt::format("back = out_view( y: i64 = [{0} - i] ) * md_hom( i: {1} by cc ) {{ y = x + i; }}"
                  " * inp_view( x: i64 = [-i + {0}] )",
                  n - 1, n),
      fmt::format("points = out_view( y: i64 = [i] ) * md_hom( i: {} by cc, k: {} by pw(xor) )"
                  " {{ y = 5 * i + k; }} * inp_view( )",
                  size(), size()),
  };
  return computation(random.pick(texts));
}

/// Part counts whose product is at least the size, often more.
inline std::vector<int64_t> random_parts(Random& random, int64_t size, size_t layers) {
  std::vector<int64_t> parts(layers, 1);
  int64_t product = 1;
  while (product < size || random.chance(15)) {
    ++parts[static_cast<size_t>(random.between(0, static_cast<int64_t>(layers) - 1))];
    product = 1;
    for (const int64_t p : parts) product *= p;
  }
  return parts;
}

/// One of the machines that need no rules beyond those of loops if everything stays in the user's
/// buffers.
inline const machine::Machine& random_machine(Random& random) {
  const std::vector<std::string> names = {"artificial", "openmp", "openmp_l3", "openmp_l3_simd",
                                          "cpu"};
  return machine::find_machine(random.pick(names));
}

inline ll::Config random_config(Random& random, const hl::Program& program,
                                const machine::Machine& machine) {
  ll::Config c{.program = program.name, .machine = machine.name};
  for (const machine::Layer& layer : machine.layers) c.layers.push_back(layer.name);
  random.shuffle(c.layers);
  const std::vector<int64_t> sizes = hl::sizes(program);
  for (size_t d = 0; d < sizes.size(); ++d) {
    const std::string& name = program.dimensions[d].symbol.name;
    const std::vector<int64_t> parts = random_parts(random, sizes[d], c.layers.size());
    for (size_t l = 0; l < parts.size(); ++l) {
      if (parts[l] == 1) continue;
      c.split[name].push_back({c.layers[l], parts[l]});
      c.order.push_back({c.layers[l], name});
    }
  }
  random.shuffle(c.order);
  return c;
}

inline std::vector<scalar::Array> random_inputs(Random& random, const hl::Program& program) {
  std::vector<scalar::Array> arrays;
  for (const hl::BufferView& view : program.inputs) {
    arrays.push_back(scalar::Array::undefined(scalar::Scalar::i64, hl::extents(program, view)));
    for (scalar::Value& cell : arrays.back().cells) {
      cell = scalar::Value::integer(random.between(-9, 9));
    }
    std::fill(arrays.back().defined.begin(), arrays.back().defined.end(), uint8_t{1});
  }
  return arrays;
}

}  // namespace mdh::passes
