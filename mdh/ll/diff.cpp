#include "mdh/ll/diff.h"

#include <algorithm>

#include "mdh/ll/json_fields.h"

namespace mdh::ll {
namespace {

using json = JsonFields::json;

/// Lists of texts are one parameter each; objects and lists of objects are taken apart.
bool is_leaf(const json& value) {
  if (value.is_object()) return false;
  if (!value.is_array()) return true;
  return std::none_of(value.begin(), value.end(),
                      [](const json& item) { return item.is_object(); });
}

std::string shown(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> items;
  for (const json& item : value) items.push_back(shown(item));
  return join(items, ", ");
}

/// All parameters of a configuration by their path.
void flatten(const std::string& path, const json& value,
             std::vector<std::pair<std::string, std::string>>& found) {
  if (is_leaf(value)) {
    found.emplace_back(path, shown(value));
    return;
  }
  size_t n = 0;
  for (const auto& [key, item] : value.items()) {
    const std::string step =
        value.is_array() ? fmt::format("[{}]", n++) : (path.empty() ? key : "." + key);
    flatten(path + step, item, found);
  }
}

std::vector<std::pair<std::string, std::string>> parameters(const Config& config) {
  std::vector<std::pair<std::string, std::string>> found;
  flatten("", json::parse(print(config)), found);
  return found;
}

std::string value_of(const std::vector<std::pair<std::string, std::string>>& all,
                     const std::string& path) {
  for (const auto& [name, value] : all) {
    if (name == path) return value;
  }
  return "-";
}

}  // namespace

std::vector<Difference> diff(const Config& left, const Config& right) {
  const auto a = parameters(left), b = parameters(right);
  std::vector<std::string> paths;
  for (const auto& [path, value] : a) paths.push_back(path);
  for (const auto& [path, value] : b) {
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  }
  std::vector<Difference> differences;
  for (const std::string& path : paths) {
    const std::string l = value_of(a, path), r = value_of(b, path);
    if (l != r) differences.push_back({path, l, r});
  }
  return differences;
}

std::string print(const std::vector<Difference>& differences, const std::string& left,
                  const std::string& right) {
  std::vector<std::vector<std::string>> rows = {{"parameter", left, right}};
  for (const Difference& d : differences) rows.push_back({d.parameter, d.left, d.right});
  return aligned(rows, Align::left);
}

}  // namespace mdh::ll
