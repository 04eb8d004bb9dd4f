#include "mdh/machine/machine.h"

#include <algorithm>
#include <cctype>

#include "mdh/machine/devices/devices.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::machine {
namespace {

template <class Named>
const Named* find(const std::vector<Named>& all, std::string_view name) {
  for (const Named& one : all) {
    if (one.name == name) return &one;
  }
  for (const Named& one : all) {
    if (std::find(one.aliases.begin(), one.aliases.end(), name) != one.aliases.end()) return &one;
  }
  return nullptr;
}

/// CUDA+WRP and cuda_wrp are one name.
std::string canonical(std::string name) {
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0
            ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
            : '_';
  }
  return name;
}

/// The core layers from the outermost to this one.
int depth_of(const Machine& m, std::string_view cores) {
  int depth = 0;
  for (const Layer& layer : m.layers) {
    if (layer.kind != LayerKind::cores) continue;
    ++depth;
    if (layer.name == cores) return depth;
  }
  return 0;
}

}  // namespace

const Layer* Machine::find_layer(std::string_view layer) const { return find(layers, layer); }

const Region* Machine::find_region(std::string_view region) const { return find(regions, region); }

int Machine::region_number(std::string_view region) const {
  const Region* found = find_region(region);
  return found ? static_cast<int>(found - regions.data()) : -1;
}

bool shares(const Machine& m, const Layer& cores, const Region& region) {
  return region.owner.empty() || depth_of(m, region.owner) < depth_of(m, cores.name);
}

bool combines_privately(const Machine& m, const Layer& cores) {
  for (const Constraint& c : m.constraints) {
    const auto* in = std::get_if<CombinesIn>(&c);
    if (!in || in->layer != cores.name) continue;
    for (const std::string& region : in->regions) {
      if (!shares(m, cores, *m.find_region(region))) return true;
    }
  }
  return false;
}

std::vector<Constraint> constraints(const Machine& m) {
  std::vector<Constraint> all = m.constraints;
  for (const Region& region : m.regions) {
    if (region.capacity) all.push_back(BytesAtMost{region.name, *region.capacity, region.soft});
    for (const Layer& layer : m.layers) {
      if (layer.kind == LayerKind::cores && !shares(m, layer, region)) {
        all.push_back(NotSharedBy{region.name, layer.name});
      }
    }
  }
  return all;
}

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all = {
      artificial(), openmp(),     openmp_l3(), openmp_l3_simd(),       cuda(),
      cuda_wrp(),   opencl(),     multi_gpu(), multi_node_multi_gpu(), cpu(),
      gpu(),        gpu_nowarp(), host()};
  return all;
}

const Machine& find_machine(std::string_view name) {
  std::vector<std::string> known;
  for (const Machine& m : machines()) {
    if (m.name == canonical(std::string(name))) return m;
    known.push_back(m.name);
  }
  user_error("E301", {}, fmt::format("unknown machine '{}'", name), suggestion(name, known));
}

}  // namespace mdh::machine
