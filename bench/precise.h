// The result of a workload in f64: how far do candidates in f32 deviate from it?
#pragma once

#include <optional>
#include <vector>

#include "bench/workloads.h"
#include "mdh/driver/memory.h"

namespace mdh::bench {

class Precise {
 public:
  /// Computed by compiled code of the host, from the inputs in memory. Nothing if the program does
  /// not compute in f32, or has so many points that this would take minutes.
  static std::optional<Precise> of(const Workload& workload, const driver::Memory& memory,
                                   int threads);

  /// `results` has the elements of each output.
  explicit Precise(std::vector<std::vector<double>> results) : results_(std::move(results)) {}

  /// The largest difference of all elements; `outputs` has the bytes of each output, as f32.
  /// Infinite if one is no number.
  double deviation(const std::vector<std::vector<char>>& outputs) const;

  /// The largest magnitude of all elements.
  double largest() const;

 private:
  std::vector<std::vector<double>> results_;
};

}  // namespace mdh::bench
