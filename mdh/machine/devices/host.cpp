#include "mdh/machine/devices/devices.h"
#include "mdh/machine/probe.h"

namespace mdh::machine {

Machine host() {
  Machine m = cpu();
  m.name = "host";
  m.summary = "this CPU, as the system describes it";
  const Probe probe = probe_host();
  for (Region& region : m.regions) {
    if (region.name == "L3") region.capacity = probe.l3_bytes;
    if (region.name == "L2") region.capacity = probe.l2_bytes;
    if (region.name == "L1") region.capacity = probe.l1_bytes;
    if (region.name == "REG") region.capacity = probe.vectors.bytes * probe.vectors.registers;
    if (region.name != "MM") region.soft = true;
  }
  for (Layer& layer : m.layers) {
    if (layer.kind == LayerKind::cores) layer.count = probe.cores;
  }
  m.vectors = probe.vectors;
  return m;
}

}  // namespace mdh::machine
