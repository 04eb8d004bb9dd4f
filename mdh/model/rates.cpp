#include "mdh/model/rates.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "mdh/ll/roles.h"
#include "mdh/support/text.h"

namespace mdh::model {
namespace {

using Json = nlohmann::ordered_json;

/// All numbers by name, for both directions.
template <class RatesType, class Visit>
void for_each_number(RatesType& r, const Visit& visit) {
  visit("operation_ns", r.operation);
  visit("latency_ns", r.latency);
  visit("load_ns", r.load);
  visit("instruction_ns", r.instruction);
  visit("gathered_ns", r.gathered);
  visit("copied_ns", r.copied);
  for (size_t n = 1; n < r.memories.size(); ++n) {
    const std::string name = lower_case(r.memories[n].name);
    visit(name + "_gbs", r.memories[n].rate);
    visit("line_" + name + "_ns", r.memories[n].line);
  }
  for (size_t n = 0; n + 1 < r.memories.size(); ++n) {
    visit(lower_case(r.memories[n].name) + "_bytes", r.memories[n].bytes);
  }
  visit("memory_of_all_gbs", r.memory_of_all);
  visit("page_miss_ns", r.page_miss);
  visit("barrier_ns", r.barrier);
  visit("launch_ns", r.launch);
  visit("line_bytes", r.line_bytes);
  visit("vector_bytes", r.vector_bytes);
  visit("registers", r.registers);
  visit("cores", r.cores);
  visit("broadcasts_lanes", r.broadcasts_lanes);
}

}  // namespace

MemoryRate* Rates::find(std::string_view name) {
  const auto found = std::find_if(memories.begin(), memories.end(),
                                  [&](const MemoryRate& m) { return m.name == name; });
  return found == memories.end() ? nullptr : &*found;
}

int64_t Rates::share_of(const MemoryRate& memory) const {
  return memory.is_shared ? memory.bytes / std::max(1, cores) : memory.bytes;
}

void describe_by(const machine::Machine& machine, Rates& rates) {
  for (MemoryRate& memory : rates.memories) {
    const machine::Region* region = machine.find_region(memory.name);
    if (region && region->capacity) memory.bytes = *region->capacity;
  }
  if (machine.vectors.bytes > 0) rates.vector_bytes = machine.vectors.bytes;
  if (machine.vectors.registers > 0) rates.registers = machine.vectors.registers;
  if (machine.warp > 0) rates.grid.warp = machine.warp;
  const ll::Roles roles = ll::roles_of(machine);
  for (const machine::Layer& layer : machine.layers) {
    const bool are_groups = !roles.threads.empty() && layer.name == roles.groups;
    if (are_groups && layer.count) rates.grid.multiprocessors = *layer.count;
  }
}

Rates typical_rates(const machine::Machine& machine, int cores) {
  Rates rates;
  rates.cores = std::max(1, cores);
  describe_by(machine, rates);
  return rates;
}

std::string print(const Rates& rates) {
  Json json = {{"mdh_rates", 1}};
  for_each_number(rates, [&](const std::string& name, const auto& value) { json[name] = value; });
  return json.dump(1) + "\n";
}

std::optional<Rates> parse_rates(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("mdh_rates", 0) != 1) return std::nullopt;
  Rates rates;
  bool complete = true;
  for_each_number(rates, [&](const std::string& name, auto& value) {
    using Number = std::decay_t<decltype(value)>;
    const auto found = json.find(name);
    const bool fits = found != json.end() &&
                      (std::is_same_v<Number, bool> ? found->is_boolean() : found->is_number());
    complete = complete && fits;
    if (fits) value = found->template get<Number>();
  });
  return complete ? std::optional(rates) : std::nullopt;
}

}  // namespace mdh::model
