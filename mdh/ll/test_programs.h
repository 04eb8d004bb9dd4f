// Programs, decompositions and data for the tests of this folder; nothing else includes it.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "mdh/hl/analysis.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/program.h"
#include "mdh/machine/machine.h"
#include "mdh/support/random.h"
#include "mdh/support/testing.h"
#include "mdh/support/text.h"

namespace mdh::ll {

using Sizes = std::map<std::string, int64_t>;

inline hl::Program computation(const std::string& generic, const Sizes& sizes) {
  return hl::instantiate(hl::parse("mdh 1\nprogram " + generic), {.sizes = sizes});
}

inline const std::string dot_text =
    "dot<K: size> = out_view( s: i64 = [] ) * md_hom( k: K by pw(add) ) { s = x * y; }"
    " * inp_view( x: i64 = [k]; y: i64 = [k] )";

inline const std::string matvec_text =
    "matvec<I: size, K: size> = out_view( w: i64 = [i] )"
    " * md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; }"
    " * inp_view( M: i64 = [i, k]; v: i64 = [k] )";

inline const std::string matmul_text =
    "matmul<I: size, J: size, K: size> = out_view( C: i64 = [i, j] )"
    " * md_hom( i: I by cc, j: J by cc, k: K by pw(add) ) { C = A * B; }"
    " * inp_view( A: i64 = [i, k]; B: i64 = [k, j] )";

/// Numbers first .. first + count - 1 in random order.
inline std::vector<int> shuffled(Random& random, size_t count, int first = 0) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  random.shuffle(numbers);
  return numbers;
}

// ---- random computations

/// "[2 * i + k + 1, j]" over the dimensions i, j, ...
inline std::string random_index(Random& random, const std::vector<std::string>& dimensions) {
  std::vector<std::string> axes;
  for (int64_t e = random.between(0, 3); e > 0; --e) {
    std::string axis = std::to_string(random.between(0, 2));
    for (const std::string& d : dimensions) {
      if (random.chance(50)) axis += fmt::format(" + {} * {}", random.between(1, 2), d);
    }
    axes.push_back(axis);
  }
  return "[" + join(axes, ", ") + "]";
}

/// The index space of a random computation and the scalar function as drawn so far.
struct Drawing {
  std::vector<std::string> dimensions;  // "i", "j", ...
  std::vector<std::string> kept;        // those by cc
  std::vector<std::string> declared;    // "i: 5 by cc"
  std::vector<std::string> inputs;      // "x1: i64 = a1: [i]"
  std::string value = "1";
};

/// One to four dimensions, any mixture of cc and the given reduction.
inline Drawing random_dimensions(Random& random, const std::string& reduction) {
  const std::vector<std::string> names = {"i", "j", "k", "l"};
  const std::vector<int64_t> greatest = {12, 6, 4, 3};
  const int64_t rank = random.between(1, 4);
  Drawing drawing;
  for (int64_t d = 0; d < rank; ++d) {
    const bool keeps = random.chance(50);
    if (keeps) drawing.kept.push_back(names[d]);
    drawing.dimensions.push_back(names[d]);
    drawing.declared.push_back(fmt::format(
        "{}: {} by {}", names[d], random.between(1, greatest[rank - 1]), keeps ? "cc" : reduction));
    drawing.value += fmt::format(" + {} * {}", random.between(-2, 2), names[d]);
  }
  return drawing;
}

/// One more input with one access, or two that differ by a shift; f reads them all.
inline void add_random_input(Random& random, Drawing& drawing) {
  const size_t n = drawing.inputs.size();
  const std::string index = random_index(random, drawing.dimensions);
  drawing.inputs.push_back(fmt::format("x{}: i64 = a{}: {}", n, n, index));
  drawing.value = fmt::format("a{} * {} - ({})", n, random.between(1, 5), drawing.value);
  if (index == "[]" || random.chance(50)) return;
  drawing.inputs.back() += fmt::format(", b{}: [1 + {}", n, index.substr(1));
  drawing.value = fmt::format("b{} - ({})", n, drawing.value);
}

/// One or two outputs with permuted dimensions, none to three inputs. Integers, so that results are
/// exact.
inline hl::Program random_computation(Random& random) {
  const std::vector<std::string> operators = {"add", "mul", "min", "max", "and", "or", "xor"};
  const bool two = random.chance(30);
  std::string reduction = random.pick(operators);
  if (two && random.chance(50)) reduction += ", " + random.pick(operators);
  Drawing drawing = random_dimensions(random, "pw(" + reduction + ")");
  for (int64_t b = random.between(0, 3); b > 0; --b) add_random_input(random, drawing);

  std::string outputs = fmt::format("y: i64 = [{}]", join(drawing.kept, ", "));
  std::string body = fmt::format("y = {};", drawing.value);
  if (two) {
    random.shuffle(drawing.kept);
    outputs += fmt::format("; z: i64 = [{}]", join(drawing.kept, ", "));
    body += fmt::format(" z = 3 * ({});", drawing.value);
  }
  return hl::parse(
      fmt::format("mdh 1\nprogram any = out_view( {} ) * md_hom( {} ) {{ {} }} * inp_view( {} )",
                  outputs, join(drawing.declared, ", "), body, join(drawing.inputs, "; ")));
}

/// Small integers of both signs, each element independent.
inline std::vector<scalar::Array> random_inputs(Random& random, const hl::Program& p) {
  std::vector<scalar::Array> arrays;
  for (const hl::BufferView& view : p.inputs) {
    arrays.push_back(scalar::Array::undefined(scalar::Scalar::i64, hl::extents(p, view)));
    for (scalar::Value& cell : arrays.back().cells) {
      cell = scalar::Value::integer(random.between(-9, 9));
    }
    std::fill(arrays.back().defined.begin(), arrays.back().defined.end(), uint8_t{1});
  }
  return arrays;
}

// ---- random decompositions

inline std::vector<Place> random_places(Random& random, const std::vector<hl::BufferView>& views,
                                        const machine::Machine& m) {
  std::vector<Place> places;
  for (const hl::BufferView& view : views) {
    const size_t rank = view.accesses.front().index.size();
    Layout layout;
    for (const int dimension : shuffled(random, rank, 1)) layout.emplace_back(dimension);
    places.push_back({random.pick(m.regions).name, layout});
  }
  return places;
}

/// Part counts per layer whose product is at least the size, often more.
inline std::vector<int64_t> random_parts(Random& random, int64_t size, size_t layers) {
  std::vector<int64_t> parts(layers, 1);
  const auto some = [&]() -> int64_t& { return parts[random.between(0, layers - 1)]; };
  while (std::accumulate(parts.begin(), parts.end(), int64_t{1}, std::multiplies<>()) < size) {
    ++some();
  }
  if (random.chance(30)) ++some();
  return parts;
}

/// The computation split over two to four layers, with different random orders in all phases.
inline Program random_program(Random& random, const hl::Program& computation) {
  const machine::Machine& m = random.pick(machine::machines());
  Program p{.computation = computation, .machine = m.name};
  for (const machine::Layer& layer : m.layers) p.layers.push_back(layer.name);
  random.shuffle(p.layers);
  p.layers.resize(std::min(p.layers.size(), static_cast<size_t>(random.between(2, 4))));

  const std::vector<int64_t> sizes = hl::sizes(computation);
  for (size_t d = 0; d < sizes.size(); ++d) {
    const std::vector<int64_t> parts = random_parts(random, sizes[d], p.layers.size());
    for (size_t l = 0; l < parts.size(); ++l) {
      if (parts[l] == 1) continue;
      const Level level{static_cast<int>(l), static_cast<int>(d)};
      p.scalar.order.push_back(level);
      // Numbered along the way, so that no level of the machine is used twice.
      p.decompose.push_back({level, parts[l], random.pick(m.layers).name,
                             fmt::format("w{}", p.decompose.size() + 4),
                             random_places(random, computation.inputs, m)});
      p.recompose.push_back(p.decompose.back());
      p.recompose.back().places = random_places(random, computation.outputs, m);
    }
  }
  random.shuffle(p.decompose);
  random.shuffle(p.scalar.order);
  for (const Level& level : p.scalar.order) {
    p.scalar.assignment.push_back(slot_of(p.decompose, level));
  }
  random.shuffle(p.recompose);
  p.scalar.reads = random_places(random, computation.inputs, m);
  p.scalar.writes = random_places(random, computation.outputs, m);
  return p;
}

}  // namespace mdh::ll
