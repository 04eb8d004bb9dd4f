#include "bench/configs.h"

#include <filesystem>

#include "bench/machine.h"
#include "bench/texts.h"
#include "mdh/driver/low_level.h"
#include "mdh/support/text.h"

namespace mdh::bench {

std::optional<tuning::ChosenConfig> known_config(const Workload& workload,
                                                 const std::string& folder,
                                                 const std::string& machines) {
  const std::string name = workload.name + ".json";
  if (!folder.empty()) {
    const std::string file = std::filesystem::path(folder) / name;
    if (!std::filesystem::exists(file)) return std::nullopt;
    const std::optional<ll::Config> config = driver::read_config(file);
    if (config) return tuning::ChosenConfig{*config, tuning::ConfigSource::file, file};
    return std::nullopt;
  }
  const std::string path = fmt::format("bench/configs/{}/{}", machines, name);
  const auto text = texts().find(path);
  if (text == texts().end()) return std::nullopt;
  return tuning::ChosenConfig{ll::parse_config(text->second, path), tuning::ConfigSource::file,
                              path};
}

std::optional<tuning::ChosenConfig> known_config(const Workload& workload,
                                                 const std::string& folder) {
  return known_config(workload, folder, machine_class());
}

}  // namespace mdh::bench
