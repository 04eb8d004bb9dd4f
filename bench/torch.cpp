#include "bench/torch.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "mdh/support/text.h"

namespace mdh::bench {
namespace {

/// Asks where the package lies and does not import it, which would take seconds. Nothing without
/// python3.
std::string package_of_python() {
  constexpr const char* question =
      "python3 -c 'import importlib.util as u; print(u.find_spec(\"torch\")"
      ".submodule_search_locations[0])' 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> answer(popen(question, "r"), pclose);
  std::string text;
  std::array<char, 4096> chunk{};
  while (answer && fgets(chunk.data(), chunk.size(), answer.get()) != nullptr) text += chunk.data();
  return text.substr(0, text.find('\n'));
}

TorchPackage found() {
  const char* named = std::getenv("MDH_TORCH");
  const std::string folder = named != nullptr ? named : package_of_python();
  if (folder.empty()) return {{}, "python3 finds no torch, and MDH_TORCH is not set"};
  if (!std::filesystem::exists(folder + "/lib/libtorch_cpu.so")) {
    return {{}, fmt::format("there is no lib/libtorch_cpu.so in {}", folder)};
  }
  return {folder, {}};
}

}  // namespace

const TorchPackage& torch_package() {
  static const TorchPackage package = found();
  return package;
}

}  // namespace mdh::bench
