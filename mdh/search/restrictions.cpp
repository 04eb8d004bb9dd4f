#include "mdh/search/restrictions.h"

#include <array>
#include <utility>
#include <vector>

#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::search {
namespace {

const std::array<std::pair<std::string, bool Restrictions::*>, 3>& rows() {
  static const std::array<std::pair<std::string, bool Restrictions::*>, 3> all = {
      {{"phases", &Restrictions::phases},
       {"parallelism", &Restrictions::parallelism},
       {"tiles", &Restrictions::tiles}}};
  return all;
}

}  // namespace

Restrictions restrictions_from(const std::string& names) {
  if (names == "all") return all_restrictions;
  Restrictions restrictions;
  for (const std::string& name : split(names, ',')) {
    bool is_known = false;
    for (const auto& [known, member] : rows()) {
      if (known != name) continue;
      restrictions.*member = is_known = true;
    }
    if (is_known) continue;
    user_error("E885", {}, fmt::format("--restricted: there is no restriction '{}'", name),
               "phases, parallelism, tiles, several of them with commas between, or all");
  }
  return restrictions;
}

std::string to_string(const Restrictions& restrictions) {
  if (restrictions == all_restrictions) return "all";
  std::vector<std::string> names;
  for (const auto& [name, member] : rows()) {
    if (restrictions.*member) names.push_back(name);
  }
  return join(names, ",");
}

}  // namespace mdh::search
