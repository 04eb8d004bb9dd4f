#include "mdh/runtime/cuda/arch.h"

#include <cstdlib>
#include <regex>

#include <fmt/format.h>

#include "mdh/support/diagnostic.h"

namespace mdh::runtime::cuda {

std::string to_string(const Arch& arch) {
  return fmt::format("{}_{}{}", arch.is_ptx ? "compute" : "sm", arch.number, arch.variant);
}

std::optional<Arch> arch_from(std::string_view text) {
  static const std::regex form("(sm|compute)_([1-9][0-9]{1,2})([af]?)");
  std::cmatch parts;
  if (!std::regex_match(text.data(), text.data() + text.size(), parts, form)) return std::nullopt;
  return Arch{std::stoi(parts[2].str()), parts[3].str(), parts[1].str() == "compute"};
}

std::optional<Arch> arch_of_user() {
  const char* text = std::getenv("MDH_CUDA_ARCH");
  if (text == nullptr) return std::nullopt;
  const std::optional<Arch> arch = arch_from(text);
  if (!arch) {
    user_error("E648", {}, fmt::format("MDH_CUDA_ARCH: '{}' names no GPU", text),
               "write sm_90 for compute capability 9.0, or compute_90 for PTX");
  }
  return arch;
}

}  // namespace mdh::runtime::cuda
