#include "mdh/tuning/chosen_config.h"

#include <vector>

namespace mdh::tuning {

const std::string& to_string(ConfigSource source) {
  static const std::vector<std::string> names = {"file",      "record", "tuned",
                                                 "neighbour", "model",  "default"};
  return names[static_cast<size_t>(source)];
}

std::string describe(const ChosenConfig& chosen) {
  const std::string& source = to_string(chosen.source);
  if (chosen.detail.empty()) return source;
  return chosen.source == ConfigSource::file ? source + " " + chosen.detail
                                             : fmt::format("{} ({})", source, chosen.detail);
}

ChosenConfig default_choice(const hl::Program& program, const machine::Machine& machine,
                            int cores) {
  return {ll::default_config(program, machine, cores), ConfigSource::usual, ""};
}

}  // namespace mdh::tuning
