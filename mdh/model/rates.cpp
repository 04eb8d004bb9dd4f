#include "mdh/model/rates.h"

#include <nlohmann/json.hpp>

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
  visit("l2_gbs", r.l2);
  visit("l3_gbs", r.l3);
  visit("memory_gbs", r.memory);
  visit("memory_of_all_gbs", r.memory_of_all);
  visit("line_l2_ns", r.line_l2);
  visit("line_l3_ns", r.line_l3);
  visit("line_memory_ns", r.line_memory);
  visit("page_miss_ns", r.page_miss);
  visit("barrier_ns", r.barrier);
  visit("launch_ns", r.launch);
  visit("l1_bytes", r.l1_bytes);
  visit("l2_bytes", r.l2_bytes);
  visit("l3_bytes", r.l3_bytes);
  visit("line_bytes", r.line_bytes);
  visit("vector_bytes", r.vector_bytes);
  visit("registers", r.registers);
  visit("cores", r.cores);
  visit("broadcasts_lanes", r.broadcasts_lanes);
}

int64_t capacity_of(const machine::Machine& m, const char* name, int64_t otherwise) {
  const machine::Region* region = m.find_region(name);
  return region && region->capacity ? *region->capacity : otherwise;
}

}  // namespace

Rates typical_rates(const machine::Machine& machine, int cores) {
  Rates rates;
  rates.cores = std::max(1, cores);
  rates.l1_bytes = capacity_of(machine, "L1", rates.l1_bytes);
  rates.l2_bytes = capacity_of(machine, "L2", rates.l2_bytes);
  rates.l3_bytes = capacity_of(machine, "L3", rates.l3_bytes);
  if (machine.vectors.bytes > 0) rates.vector_bytes = machine.vectors.bytes;
  if (machine.vectors.registers > 0) rates.registers = machine.vectors.registers;
  return rates;
}

std::string print(const Rates& rates) {
  Json json = {{"mdh_rates", 1}};
  for_each_number(rates, [&](const char* name, const auto& value) { json[name] = value; });
  return json.dump(1) + "\n";
}

std::optional<Rates> parse_rates(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("mdh_rates", 0) != 1) return std::nullopt;
  Rates rates;
  bool complete = true;
  for_each_number(rates, [&](const char* name, auto& value) {
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
