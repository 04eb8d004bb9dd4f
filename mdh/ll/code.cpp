#include "mdh/ll/code.h"

namespace mdh::ll {

std::string to_string(const LevelName& level) {
  return level.dimension.empty() ? level.layer : level.layer + "." + level.dimension;
}

const std::vector<std::string>& names_of(Transport) {
  static const std::vector<std::string> names = {"plain", "registers", "async"};
  return names;
}

const std::vector<std::string>& names_of(Hint) {
  static const std::vector<std::string> names = {"none", "streaming", "keep"};
  return names;
}

const std::vector<std::string>& names_of(Edge) {
  static const std::vector<std::string> names = {"auto", "clamp", "pad", "mask", "overlap"};
  return names;
}

const std::vector<std::string>& names_of(Combination) {
  static const std::vector<std::string> names = {
      "auto",      "shuffle", "team_tree", "partials_kernel",
      "last_core", "cluster", "atomic",    "look_back"};
  return names;
}

const std::vector<std::string>& names_of(Deal) {
  static const std::vector<std::string> names = {"block", "cyclic", "dynamic"};
  return names;
}

const std::vector<std::string>& names_of(Contract) {
  static const std::vector<std::string> names = {"automatic", "off", "fast"};
  return names;
}

const std::vector<std::string>& names_of(Start) {
  static const std::vector<std::string> names = {"auto", "early"};
  return names;
}

}  // namespace mdh::ll
