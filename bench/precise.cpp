#include "bench/precise.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mdh/driver/devices.h"
#include "mdh/driver/executable.h"
#include "mdh/hl/analysis.h"
#include "mdh/tuning/chosen_config.h"

namespace mdh::bench {
namespace {

/// Points that each thread may compute: some seconds.
constexpr double most_points_per_thread = 8e9;

/// Inputs of another program are the same numbers, wider.
void widen(const driver::Memory& from, const driver::Memory& to, const hl::Program& program,
           const std::vector<int64_t>& bytes) {
  for (size_t n = program.outputs.size(); n < bytes.size(); ++n) {
    const auto* narrow = static_cast<const float*>(from.pointers()[n]);
    auto* wide = static_cast<double*>(to.pointers()[n]);
    const int64_t count = bytes[n] / static_cast<int64_t>(sizeof(float));
    for (int64_t at = 0; at < count; ++at) wide[at] = static_cast<double>(narrow[at]);
  }
}

bool computes_in_f32(const Workload& workload) {
  const Instantiated at = instantiate(workload);
  return at.instance.type == scalar::Scalar::f32;
}

}  // namespace

std::optional<Precise> Precise::of(const Workload& workload, const driver::Memory& memory,
                                   int threads) {
  if (!computes_in_f32(workload)) return std::nullopt;
  const std::optional<Instantiated> at = instantiate_with(workload, scalar::Scalar::f64);
  if (!at || static_cast<double>(hl::points(at->program)) > most_points_per_thread * threads) {
    return std::nullopt;
  }
  const driver::Target& target = driver::usual_target();
  const machine::Machine machine = driver::machine_of(target, "");
  const driver::Executable executable = driver::compile(
      at->program, machine, tuning::default_choice(at->program, machine, threads).config, target);
  const driver::Memory wide(at->program);
  widen(memory, wide, at->program, memory.shared().bytes());
  executable(wide.pointers(), threads);
  std::vector<std::vector<double>> results;
  for (size_t n = 0; n < at->program.outputs.size(); ++n) {
    const auto* begin = static_cast<const double*>(wide.pointers()[n]);
    results.emplace_back(begin,
                         begin + memory.shared().bytes()[n] / static_cast<int64_t>(sizeof(float)));
  }
  return Precise(std::move(results));
}

double Precise::deviation(const std::vector<std::vector<char>>& outputs) const {
  double largest = 0;
  for (size_t b = 0; b < results_.size(); ++b) {
    for (size_t n = 0; n < results_[b].size(); ++n) {
      float value = 0;
      std::memcpy(&value, &outputs[b][n * sizeof(float)], sizeof(float));
      const double difference = std::abs(static_cast<double>(value) - results_[b][n]);
      if (!(difference <= largest)) largest = std::isnan(difference) ? INFINITY : difference;
    }
  }
  return largest;
}

double Precise::largest() const {
  double largest = 0;
  for (const std::vector<double>& result : results_) {
    for (const double value : result) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace mdh::bench
