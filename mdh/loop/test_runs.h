// Runs of the rows program for the tests of the evaluator; nothing else includes it.
#pragma once

#include <set>

#include "mdh/loop/evaluate.h"
#include "mdh/loop/test_programs.h"

namespace mdh::loop {

inline std::vector<int64_t> result(const std::string& body, const More& more = {},
                                   uint64_t seed = 1) {
  return numbers(evaluate(rows_with(body, more), rows_input(), seed).at(0));
}

/// What evaluate complains of, whatever the order of the parts.
inline std::string complaint(const std::string& body, const More& more = {}) {
  std::set<std::string> texts;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    texts.insert(internal_error_of([&] { result(body, more, seed); }));
  }
  return texts.size() == 1 ? *texts.begin() : fmt::format("{} complaints", texts.size());
}

inline const std::vector<int64_t> in_order = {1234, 5678, 2468};
inline const std::string fine = "(no error was raised)";

}  // namespace mdh::loop
