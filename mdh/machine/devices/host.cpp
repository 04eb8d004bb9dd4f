#include "mdh/machine/devices/devices.h"
#include "mdh/machine/probe.h"

namespace mdh::machine {

Machine host() {
  Machine m = cpu();
  m.name = "host";
  m.summary = "this CPU, as the system describes it: MM, L3, L2, L1, REG | COR, SIMD";
  const Probe probe = probe_host();
  for (Region& region : m.regions) {
    if (region.name == "L3") region.capacity = probe.l3_bytes;
    if (region.name == "L2") region.capacity = probe.l2_bytes;
    if (region.name == "L1") region.capacity = probe.l1_bytes;
    const int64_t registers = probe.vectors.bytes * probe.vectors.registers;
    if (region.name == "REG" && registers > 0) region.capacity = registers;
    if (region.name != "MM") region.soft = true;
  }
  for (Layer& layer : m.layers) {
    if (layer.kind == LayerKind::cores) layer.count = probe.cores;
  }
  m.vectors = probe.vectors;
  return m;
}

}  // namespace mdh::machine
