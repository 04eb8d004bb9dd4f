// For tests: random programs and random inputs.
#pragma once

#include <string>
#include <vector>

#include "mdh/hl/analysis.h"
#include "mdh/hl/parse.h"
#include "mdh/scalar/array.h"
#include "mdh/support/random.h"
#include "mdh/support/text.h"

namespace mdh::hl {

/// Small whole numbers of any type: sums and products of them are exact, ties and zeros occur.
inline scalar::Array random_array(scalar::Scalar type, const Extents& extents, Random& random) {
  scalar::Array array = scalar::Array::undefined(type, extents);
  for (scalar::Value& cell : array.cells) {
    cell = scalar::from_integer(type, random.between(-9, 9));
  }
  array.defined.assign(array.defined.size(), 1);
  return array;
}

inline std::vector<scalar::Array> random_inputs(const Program& p, Random& random) {
  std::vector<scalar::Array> inputs;
  for (const BufferView& view : p.inputs) {
    inputs.push_back(random_array(scalar::scalar_of(view.type), extents(p, view), random));
  }
  return inputs;
}

/// Text of small concrete programs of all kinds: 0 to 3 dimensions, one or two inputs with one or
/// two accesses, one or two outputs, strided, shifted and reversed index functions.
class RandomProgram {
 public:
  explicit RandomProgram(Random& random) : random_(random) {}

  std::string text() {
    choose_dimensions();
    const std::string inputs = inp_view(), outputs = out_view();
    std::string body;
    for (const std::string& target : targets_) {
      body += fmt::format("{} = {}; ", target, expression(3));
    }
    return fmt::format(
        "mdh 1\nprogram p =\n  out_view( {} )\n* md_hom( {} ) {{ {}}}\n* inp_view( {} )\n", outputs,
        join(dimensions_, ", "), body, inputs);
  }

 private:
  void choose_dimensions() {
    const bool floating = random_.chance(25);
    type_ = floating ? "f64" : random_.pick<std::string>({"i32", "i64", "u8"});
    const std::vector<std::string> exact = {"add", "min", "max"};
    const std::vector<std::string> all = {"add", "mul", "min", "max", "and", "or", "xor"};
    const std::string op = random_.pick(floating ? exact : all);
    const int64_t rank = random_.between(0, 3);
    for (int64_t d = 0; d < rank; ++d) {
      names_.push_back(std::string(1, static_cast<char>('i' + d)));
      sizes_.push_back(random_.between(1, 4));
      reduced_.push_back(random_.chance(50));
      dimensions_.push_back(fmt::format("{}: {} by {}", names_.back(), sizes_.back(),
                                        reduced_.back() ? "pw(" + op + ")" : "cc"));
    }
  }

  /// One dimension, forwards or backwards, as an index that is never negative.
  std::string walk(size_t d) {
    return random_.chance(30) ? fmt::format("({} - {})", sizes_[d] - 1, names_[d]) : names_[d];
  }

  std::string input_index() {
    std::string text = std::to_string(random_.between(0, 2));
    for (size_t d = 0; d < names_.size(); ++d) {
      if (!random_.chance(60)) continue;
      const std::string index = walk(d);
      text += fmt::format(" + {} * {}", random_.between(1, 3), index);
    }
    return text;
  }

  std::string inp_view() {
    std::vector<std::string> buffers;
    for (int64_t b = random_.between(1, 2); b > 0; --b) {
      const std::string name = b == 1 ? "a" : "b";
      const int64_t rank = random_.between(0, 2), count = random_.between(1, 2);
      std::vector<std::string> accesses;
      for (int64_t n = 1; n <= count; ++n) {
        std::vector<std::string> index;
        for (int64_t e = 0; e < rank; ++e) index.push_back(input_index());
        accesses.push_back("[" + join(index, ", ") + "]");
        leaves_.push_back(count == 1 ? name : fmt::format("{}.{}", name, n));
      }
      buffers.push_back(fmt::format("{}: {} = {}", name, type_, join(accesses, ", ")));
    }
    return join(buffers, "; ");
  }

  /// All concatenated dimensions in any order, each with a stride: no two points meet.
  std::string out_view() {
    std::vector<std::string> buffers;
    for (int64_t b = random_.between(1, 2); b > 0; --b) {
      const std::string name = b == 1 ? "y" : "z";
      std::vector<std::string> index;
      for (size_t d = 0; d < names_.size(); ++d) {
        if (reduced_[d]) continue;
        const std::string walked = walk(d);
        index.push_back(fmt::format("{} * {}", random_.between(1, 2), walked));
      }
      random_.shuffle(index);
      const bool two = random_.chance(20);
      std::vector<std::string> accesses;
      for (int n = 0; n < (two ? 2 : 1); ++n) {
        std::vector<std::string> own = index;
        if (two) own.push_back(std::to_string(n));
        accesses.push_back("[" + join(own, ", ") + "]");
        targets_.push_back(two ? fmt::format("{}.{}", name, n + 1) : name);
      }
      buffers.push_back(fmt::format("{}: {} = {}", name, type_, join(accesses, ", ")));
    }
    return join(buffers, "; ");
  }

  std::string leaf() {
    if (random_.chance(20)) return std::to_string(random_.between(0, 5));
    if (!names_.empty() && random_.chance(30)) {
      return fmt::format("{}({})", type_, random_.pick(names_));
    }
    return random_.pick(leaves_);
  }

  std::string expression(int depth) {
    if (depth == 0) return leaf();
    const std::string a = expression(depth - 1), b = random_.chance(50) ? leaf() : a;
    switch (random_.between(0, 4)) {
      case 0:
        return fmt::format("({} + {})", a, b);
      case 1:
        return fmt::format("({} - {})", a, b);
      case 2: {
        const std::string right = leaf();
        return fmt::format("{} * {}", leaf(), right);
      }
      case 3:
        return fmt::format("max({}, {})", a, b);
      default: {
        const std::string right = leaf();
        return fmt::format("(if {} < {} then {} else {})", leaf(), right, a, b);
      }
    }
  }

  Random& random_;
  std::string type_;
  std::vector<std::string> names_, dimensions_, leaves_, targets_;
  std::vector<int64_t> sizes_;
  std::vector<bool> reduced_;
};

inline Program random_program(Random& random) { return parse(RandomProgram(random).text()); }

}  // namespace mdh::hl
