#include "mdh/backend/c/transpose.h"

#include <fmt/format.h>

#include "mdh/backend/c/vector.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

/// Only bits move: integers of the same width.
scalar::Scalar bits_of_width(int bytes) {
  switch (bytes) {
    case 1:
      return scalar::Scalar::u8;
    case 2:
      return scalar::Scalar::u16;
    case 4:
      return scalar::Scalar::u32;
    default:
      return scalar::Scalar::u64;
  }
}

/// Two rows, and the numbers of those that are made of their lower and of their upper halves.
struct Pair {
  int64_t left, right, low, high;
};

/// A transposition by shuffles of two rows at a time. The first two steps transpose all squares of
/// 4, which takes one instruction for each row on NEON and SSE; the others swap them, then squares
/// of 8, and so on:
///
///   rows            in turns             in turns, by twos
///   a0 a1 a2 a3     a0 b0 a1 b1          a0 b0 c0 d0
///   b0 b1 b2 b3     a2 b2 a3 b3          a1 b1 c1 d1
///   c0 c1 c2 c3     c0 d0 c1 d1          a2 b2 c2 d2
///   d0 d1 d2 d3     c2 d2 c3 d3          a3 b3 c3 d3
class Shuffles {
 public:
  Shuffles(std::string type, int64_t side) : type_(std::move(type)), side_(side), rows_(side) {
    for (int64_t n = 0; n < side; ++n) rows_[n] = fmt::format("r{}", n);
  }

  const std::vector<std::string>& rows() const { return rows_; }

  std::string run() {
    if (side_ == 2) return step({{0, 1, 0, 1}}, 1, 2);
    std::vector<Pair> neighbours, seconds;
    for (int64_t n = 0; n < side_; n += 4) {
      neighbours.push_back({n, n + 1, n, n + 1});
      neighbours.push_back({n + 2, n + 3, n + 2, n + 3});
      seconds.push_back({n, n + 2, n, n + 1});
      seconds.push_back({n + 1, n + 3, n + 2, n + 3});
    }
    std::string text = step(neighbours, 1, 4);  // before the second, which uses its rows
    text += step(seconds, 2, 4);
    for (int64_t apart = 4; apart < side_; apart *= 2) {
      std::vector<Pair> pairs;
      for (int64_t n = 0; n < side_; ++n) {
        if ((n & apart) == 0) pairs.push_back({n, n + apart, n, n + apart});
      }
      text += step(pairs, apart, 2 * apart);
    }
    return text;
  }

 private:
  /// Blocks of the one row and of the other in turns, of half of each group of numbers.
  std::string step(const std::vector<Pair>& pairs, int64_t block, int64_t group) {
    std::vector<std::string> next(rows_.size());
    std::string text;
    ++steps_;
    const auto define = [&](int64_t number, const Pair& pair, int64_t half) {
      next[number] = fmt::format("r{}_{}", number, steps_);
      text +=
          fmt::format("  const {} {} = __builtin_shufflevector({}, {}, {});\n", type_, next[number],
                      rows_[pair.left], rows_[pair.right], join(lanes(block, group, half), ", "));
    };
    for (const Pair& pair : pairs) {
      define(pair.low, pair, 0);
      define(pair.high, pair, group / 2);
    }
    rows_ = next;
    return text;
  }

  std::vector<std::string> lanes(int64_t block, int64_t group, int64_t half) const {
    std::vector<std::string> all;
    for (int64_t at = half; at < side_; at += group) {
      for (int64_t begin = at; begin < at + group / 2; begin += block) {
        for (const int64_t row : {int64_t{0}, side_}) {
          for (int64_t n = 0; n < block; ++n) all.push_back(std::to_string(row + begin + n));
        }
      }
    }
    return all;
  }

  std::string type_;
  int64_t side_;
  std::vector<std::string> rows_;  // names
  int steps_ = 0;
};

}  // namespace

std::string square_transpose(Helpers& helpers, scalar::Scalar type, int64_t side) {
  const scalar::Scalar bits = bits_of_width(scalar::bytes_of(type));
  const std::string vector = vector_type(helpers, bits, side);
  const std::string in_memory = unaligned_vector_type(helpers, bits, side);
  const std::string name = "mdh_transpose_" + vector;
  Shuffles shuffles(vector, side);
  std::string text = fmt::format(
      "static inline void {0}(void *to, long to_stride, const void *from, long from_stride) {{\n"
      "  const {1} *const in = (const {1} *)from;\n  {1} *const out = ({1} *)to;\n",
      name, c_type(bits));
  for (int64_t n = 0; n < side; ++n) {
    text += fmt::format("  const {} {} = *(const {} *)(in + {} * from_stride);\n", vector,
                        shuffles.rows()[n], in_memory, n);
  }
  text += shuffles.run();
  for (int64_t n = 0; n < side; ++n) {
    text +=
        fmt::format("  *({} *)(out + {} * to_stride) = {};\n", in_memory, n, shuffles.rows()[n]);
  }
  helpers.define_operation(name, text + "}");
  return name;
}

}  // namespace mdh::backend
