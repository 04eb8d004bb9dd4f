#include "bench/configs.h"

#include <filesystem>

#include "bench/machine.h"
#include "bench/texts.h"
#include "mdh/driver/low_level.h"
#include "mdh/support/text.h"

namespace mdh::bench {
namespace {

using Found = std::optional<tuning::ChosenConfig>;

Found in_folder(const std::string& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  const std::optional<ll::Config> config = driver::read_config(file);
  if (!config) return std::nullopt;
  return tuning::ChosenConfig{*config, tuning::ConfigSource::file, file};
}

Found inside(const std::string& path) {
  const auto text = texts().find(path);
  if (text == texts().end()) return std::nullopt;
  return tuning::ChosenConfig{ll::parse_config(text->second, path), tuning::ConfigSource::file,
                              path};
}

}  // namespace

std::optional<tuning::ChosenConfig> known_config(const Workload& workload,
                                                 const std::string& folder,
                                                 const std::string& machines,
                                                 const std::string& target) {
  const auto find = [&](const std::string& name) {
    return folder.empty() ? inside(fmt::format("bench/configs/{}/{}", machines, name))
                          : in_folder(std::filesystem::path(folder) / name);
  };
  const std::string name = workload.name + ".json";
  if (!target.empty()) {
    if (const Found found = find(target + "/" + name)) return found;
  }
  return find(name);
}

std::optional<tuning::ChosenConfig> known_config(const Workload& workload,
                                                 const std::string& folder) {
  return known_config(workload, folder, machine_class());
}

}  // namespace mdh::bench
