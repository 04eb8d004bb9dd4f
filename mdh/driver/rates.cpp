#include "mdh/driver/rates.h"

#include "mdh/machine/probe.h"

namespace mdh::driver {

model::Rates rates_of(const machine::Machine& machine, int cores) {
  model::Rates rates = model::typical_rates(machine, cores);
  static const machine::Probe host = machine::probe_host();
  const auto unknown = [&](const char* region) {
    const machine::Region* r = machine.find_region(region);
    return !r || !r->capacity;
  };
  if (host.l1_bytes && unknown("L1")) rates.l1_bytes = *host.l1_bytes;
  if (host.l2_bytes && unknown("L2")) rates.l2_bytes = *host.l2_bytes;
  if (host.l3_bytes && unknown("L3")) rates.l3_bytes = *host.l3_bytes;
  if (machine.vectors.bytes == 0 && host.vectors.bytes > 0) {
    rates.vector_bytes = host.vectors.bytes;
    rates.registers = host.vectors.registers;
  }
  return rates;
}

}  // namespace mdh::driver
