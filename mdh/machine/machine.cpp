#include "mdh/machine/machine.h"

#include "mdh/machine/devices/devices.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::machine {

const Layer* Machine::find_layer(std::string_view layer) const {
  for (const Layer& l : layers) {
    if (l.name == layer) return &l;
  }
  return nullptr;
}

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all = {artificial(), openmp(), cpu()};
  return all;
}

const Machine& find_machine(const std::string& name) {
  std::vector<std::string> known;
  for (const Machine& m : machines()) {
    if (m.name == name) return m;
    known.push_back(m.name);
  }
  user_error("E301", {}, fmt::format("unknown machine '{}'", name), suggestion(name, known));
}

}  // namespace mdh::machine
