#include "tests/golden/configured.h"

#include "examples/catalogue.h"
#include "mdh/hl/instantiate.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/files.h"

namespace mdh::test {

std::filesystem::path golden_folder() {
  return std::filesystem::path(MDH_SOURCE_DIR) / "tests/golden";
}

Configured configured(const std::string& file) {
  const ll::Config config = ll::parse_config(read_file(golden_folder() / file), file);
  const examples::Entry* entry = examples::find_entry(config.program);
  internal_check(entry != nullptr, "{}: no program '{}'", file, config.program);
  hl::Bindings bindings{.sizes = config.sizes};
  for (const auto& [name, type] : config.types) {
    bindings.types[name] = scalar_of(scalar::resolve_type(type, {}, {}));
  }
  return {config, hl::instantiate(entry->generic(), bindings),
          machine::find_machine(config.machine)};
}

}  // namespace mdh::test
