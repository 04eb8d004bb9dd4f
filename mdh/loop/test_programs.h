// Loop programs and data for the tests of this folder; nothing else includes it.
#pragma once

#include <string>
#include <vector>

#include "mdh/loop/parse.h"
#include "mdh/loop/testing.h"
#include "mdh/support/testing.h"

namespace mdh::loop {

/// What a test declares besides what its program always has.
struct More {
  std::string digits = {};
  std::string buffers = {};
};

/// y[i] = x[i, 0] ⊕ ... ⊕ x[i, 3] for 3 rows. ⊕ is 10 l + r, which is no proper operator, but shows
/// in the digits of a result what was combined in which order: the row 1, 2, 3, 4 gives 1234.
inline std::string rows_text(const std::string& body, const More& more = {}) {
  return R"(mdh_loop 1
kernel rows
dimension i < 3 kept
dimension k < 4 reduced
digit p: L1.i < 3 of i step 1 sequential
digit q: L1.k < 4 of k step 1 sequential
)" + more.digits +
         R"(buffer output y: i64[3]
buffer input x: i64[3, 4]
buffer temporary t: i64[4, 3] in MM of all per ()
)" + more.buffers +
         R"(function f(x: i64, i: i64, k: i64) { y: i64 = x; }
function combine(l: i64, r: i64) { x: i64 = 10 * l + r; }
body {)" +
         allocs_for(body, "buffer temporary t:" + more.buffers) + body + "}";
}

inline Program rows_with(const std::string& body, const More& more = {}) {
  return parse(rows_text(body, more));
}

/// y[i] = x[0] ⊕ ... ⊕ x[i] for 9 numbers. ⊕ writes its operands one behind the other, so that the
/// results of 1, 2, 3, ... are 1, 12, 123, ...
inline Program prefixes_with(const std::string& body, const More& more = {}) {
  return parse(R"(mdh_loop 1
kernel prefixes
dimension i < 9 scanned
)" + more.digits +
               R"(buffer output y: i64[9]
buffer input x: i64[9]
)" + more.buffers +
               R"(function f(x: i64, i: i64) { y: i64 = x; }
function combine(l: i64, r: i64) {
  x: i64 = if r < 10 then 10 * l + r else if r < 100 then 100 * l + r
           else if r < 1000 then 1000 * l + r else if r < 10000 then 10000 * l + r
           else if r < 100000 then 100000 * l + r else if r < 1000000 then 1000000 * l + r
           else if r < 10000000 then 10000000 * l + r else 100000000 * l + r;
}
body {)" + allocs_for(body, more.buffers) +
               body + "}");
}

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
