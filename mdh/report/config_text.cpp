#include "mdh/report/config_text.h"

#include <fmt/format.h>

#include "mdh/support/text.h"

namespace mdh::report {
namespace {

int64_t parts_of(const ll::Config& config, const ll::LevelName& level) {
  const auto split = config.split.find(level.dimension);
  if (split == config.split.end()) return 1;
  for (const ll::Digit& digit : split->second) {
    if (digit.layer == level.layer) return digit.parts;
  }
  return 1;
}

void add_places(const ll::Relocations& buffers, std::vector<std::string>& texts) {
  for (const auto& [buffer, places] : buffers) {
    std::vector<std::string> regions;
    for (const ll::Relocation& place : places) regions.push_back(place.region);
    texts.push_back(buffer + " in " + join(regions, ", "));
  }
}

}  // namespace

std::string short_text(const ll::Config& config) {
  std::vector<std::string> levels;
  for (const ll::LevelName& level : config.order) {
    levels.push_back(fmt::format("{} {}", to_string(level), parts_of(config, level)));
  }
  std::vector<std::string> texts = {join(levels, ", ")};
  add_places(config.stage, texts);
  add_places(config.acc, texts);
  std::vector<std::string> words = {config.code.kernel.compiler};
  words.insert(words.end(), config.code.kernel.flags.begin(), config.code.kernel.flags.end());
  if (!words.front().empty()) texts.push_back(join(words, " "));
  return join(texts, "; ");
}

}  // namespace mdh::report
