#include "mdh/ll/diff.h"

#include <cstdio>

#include "mdh/support/files.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {

int diff(const std::string& left, const std::string& right) {
  const ll::Config a = ll::parse_config(read_file(left), left);
  const ll::Config b = ll::parse_config(read_file(right), right);
  const std::vector<ll::Difference> differences = ll::diff(a, b);
  if (differences.empty()) {
    fmt::print("no difference\n");
  } else {
    fmt::print("{}", print(differences, left, right));
  }
  return 0;
}

}  // namespace mdh::tool
