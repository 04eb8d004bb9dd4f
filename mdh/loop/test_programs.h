// Loop programs and data for the tests of this folder; nothing else includes it.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "mdh/loop/parse.h"
#include "mdh/support/testing.h"

namespace mdh::loop {

/// y[i] = x[i, 0] ⊕ ... ⊕ x[i, 3] for 3 rows. ⊕ is 10 l + r, which is no proper operator, but shows
/// in the digits of a result what was combined in which order: the row 1, 2, 3, 4 gives 1234.
inline const std::string rows = R"(mdh_loop 1
kernel rows
dimension i < 3
dimension k < 4 reduced
buffer output y: i64[3]
buffer input x: i64[3, 4]
buffer workspace t: i64[4, 3]
function f(x: i64, i: i64, k: i64) { y: i64 = x; }
function combine(l: i64, r: i64) { x: i64 = 10 * l + r; }
)";

inline Program rows_with(const std::string& body) { return parse(rows + "body {" + body + "}"); }

inline scalar::Array array(scalar::Extents extents, const std::vector<int64_t>& numbers) {
  scalar::Array a = scalar::Array::undefined(scalar::Scalar::i64, std::move(extents));
  for (size_t n = 0; n < numbers.size(); ++n) {
    a.cells.at(n) = scalar::Value::integer(numbers[n]);
    a.defined.at(n) = 1;
  }
  return a;
}

/// The rows 1, 2, 3, 4 and 5, 6, 7, 8 and 2, 4, 6, 8.
inline std::vector<scalar::Array> rows_input() {
  return {array({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 2, 4, 6, 8})};
}

inline std::vector<int64_t> numbers(const scalar::Array& a) {
  std::vector<int64_t> all;
  for (const scalar::Value& cell : a.cells) all.push_back(cell.as_integer());
  return all;
}

/// The message of an internal error, without the place in our own sources; or that there is none.
template <class F>
std::string internal_error_of(F&& f) {
  const Diagnostic d = diagnostic_of(std::forward<F>(f));
  // Only bugs have no code to look up.
  if (!d.code.empty()) return "not an internal error: " + d.message;
  return d.message.substr(0, d.message.rfind(" ("));
}

}  // namespace mdh::loop
