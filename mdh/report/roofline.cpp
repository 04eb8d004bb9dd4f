#include "mdh/report/roofline.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/model/shape.h"

namespace mdh::report {
namespace {

/// Elements that one vector operation works on.
double lanes_of(const model::Shape& shape, const model::Rates& rates) {
  if (!shape.has_lanes) return 1;
  int64_t widest = 1;
  for (const model::BufferShape& b : shape.buffers) widest = std::max(widest, b.element_bytes);
  return std::max(1.0, static_cast<double>(rates.vector_bytes) / static_cast<double>(widest));
}

}  // namespace

double Roofline::roof_at(double operations_per_byte) const {
  return std::min(peak, memory * operations_per_byte);
}

Roofline roofline_of(const hl::Program& program, const model::Rates& rates) {
  const model::Shape shape = model::shape_of(program);
  const double operations = static_cast<double>(hl::operations(program));
  // A fused multiply-add is one operation of the machine and two of the program.
  const double counted = operations / std::max(1.0, shape.points * shape.operations);
  Roofline roofs;
  roofs.peak = counted * lanes_of(shape, rates) / rates.operation * rates.cores;
  roofs.memory = rates.memory_of_all;
  roofs.cache = rates.memories[1].rate * rates.cores;
  roofs.cache_name = rates.memories[1].name;
  roofs.intensity = operations / std::max(1.0, static_cast<double>(hl::bytes(program)));
  return roofs;
}

bool are_typical(const model::Rates& rates, const machine::Machine& machine) {
  const model::Rates typical = model::typical_rates(machine, rates.cores);
  const auto as_fast = [](const model::MemoryRate& a, const model::MemoryRate& b) {
    return a.rate == b.rate;
  };
  return rates.operation == typical.operation && rates.latency == typical.latency &&
         rates.load == typical.load && rates.memory_of_all == typical.memory_of_all &&
         std::equal(rates.memories.begin(), rates.memories.end(), typical.memories.begin(),
                    typical.memories.end(), as_fast);
}

}  // namespace mdh::report
