#include "tests/golden/configured.h"

#include "tests/frozen/sources.h"

namespace mdh::test {

std::filesystem::path golden_folder() {
  return std::filesystem::path(MDH_SOURCE_DIR) / "tests/golden";
}

Configured configured(const std::string& file) {
  Triple triple = stored_triple((golden_folder() / file).string());
  return {std::move(triple.config), std::move(triple.program), std::move(triple.machine)};
}

}  // namespace mdh::test
