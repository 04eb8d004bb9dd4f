#include <cstdio>

#include "mdh/support/text.h"
#include "tools/mdh/errors_text.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

/// The sections of docs/errors.md: "## E101", a title or nothing, and what follows.
std::vector<std::string> codes() {
  std::vector<std::string> all;
  for (const std::string& line : split(errors_text(), '\n')) {
    if (line.rfind("## E", 0) == 0) all.push_back(line.substr(3, 4));
  }
  return all;
}

}  // namespace

int help(const std::string& code) {
  const std::string& text = errors_text();
  const size_t begin = text.find("## " + code);
  if (code.size() != 4 || begin == std::string::npos) {
    user_error("E811", {}, fmt::format("there is no error '{}'", code), suggestion(code, codes()));
  }
  const size_t end = text.find("\n## ", begin + 1);
  fmt::print("{}\n", text.substr(begin + 3, end == std::string::npos ? end : end - begin - 3));
  return 0;
}

}  // namespace mdh::tool
