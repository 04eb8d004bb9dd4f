#include "mdh/calibration/grid_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "mdh/support/diagnostic.h"
#include "mdh/tune/record.h"

namespace mdh::calibration {
namespace {

using Json = nlohmann::ordered_json;

/// What a run of a probe told.
struct Told {
  double cycles = 0, nanoseconds = 0;
};

class GridMeasurement {
 public:
  GridMeasurement(const runtime::Device& device, const ProbeSizes& sizes)
      : device_(device),
        sizes_(sized_for(device, sizes)),
        multiprocessors_(std::max<int64_t>(1, device.grid()->groups_at_once)),
        probes_(multiprocessors_, sizes_) {
    load();
  }

  std::map<std::string, double> run() {
    told(probes_.multiply_adds);  // a device that had nothing to do takes a while to wake up
    computing();
    shared_memory();
    memories();
    launches();
    std::erase_if(found_, [](const auto& number) {
      return !std::isfinite(number.second) || number.second <= 0;  // a probe that told nothing
    });
    return std::move(found_);
  }

 private:
  using Probe = kernel::Module GridProbes::*;

  /// Memory that no cache holds, as far as there is so much.
  static ProbeSizes sized_for(const runtime::Device& device, ProbeSizes sizes) {
    const auto power_below = [](int64_t bytes) {
      return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)));
    };
    const auto identity = device.identity();
    const auto l2 = identity ? identity->caches.find("L2") : decltype(identity->caches.end()){};
    if (identity && l2 != identity->caches.end() && l2->second > 0) {
      sizes.cache = std::min(sizes.cache, power_below(l2->second / 2));
      sizes.memory = std::min(sizes.memory, power_below(16 * l2->second));
    }
    sizes.memory = std::min(sizes.memory, power_below(device.grid()->global_bytes / 4));
    return sizes;
  }

  /// One source each: compilers run side by side.
  void load() {
    const std::array all = {&probes_.multiply_adds, &probes_.double_multiply_adds,
                            &probes_.chain,         &probes_.double_chain,
                            &probes_.shared_reads,  &probes_.shared_chain,
                            &probes_.cache_chain,   &probes_.memory_chain,
                            &probes_.cache_reads,   &probes_.memory_reads,
                            &probes_.barriers,      &probes_.one_launch,
                            &probes_.many_launches};
    std::vector<kernel::Module> modules;
    int64_t input_bytes = 0;
    for (const kernel::Module* module : all) {
      modules.push_back(*module);
      input_bytes = std::max(input_bytes, module->arguments[1].bytes());
    }
    const runtime::LoadedKernels kernels = device_.load(modules);
    for (size_t n = 0; n < all.size(); ++n) kernels_[all[n]] = kernels[n];
    output_ = device_.allocate(16, "what a probe tells");
    input_ = device_.allocate(input_bytes, "what a probe reads");
    output_->fill(0);
    input_->fill(0);
  }

  /// The quickest of few runs.
  Told told(const kernel::Module& probe, bool from_memory = false) {
    const runtime::LoadedKernel& kernel = *kernels_.at(&probe);
    Told best{INFINITY, INFINITY};
    const std::array<void*, 2> buffers = {output_->handle(), input_->handle()};
    for (int n = 0; n < runs; ++n) {
      if (from_memory) input_->fill(0);  // what a run has left in caches is gone
      const double microseconds = kernel.timed_run({.buffers = buffers});
      std::array<int64_t, 2> said{};
      output_->download(said.data());
      best.cycles = std::min(best.cycles, static_cast<double>(said[0]));
      best.nanoseconds = std::min(best.nanoseconds, 1e3 * microseconds);
    }
    return best;
  }

  double warps() const { return static_cast<double>(std::max<int64_t>(1, sizes_.items / 32)); }
  static double count(int64_t n) { return static_cast<double>(n); }

  void computing() {
    const double all = count(sizes_.rounds * GridProbes::of_a_round);
    const Told many = told(probes_.multiply_adds);
    found_["cycles_per_ns"] = many.cycles / many.nanoseconds;
    const double rate = warps() * all / many.cycles;
    found_["multiply_adds_per_cycle"] = rate;
    const double doubles = warps() * all / 8 / told(probes_.double_multiply_adds).cycles;
    found_["double_per_single"] = doubles / rate;
    found_["chain_cycles"] = told(probes_.chain).cycles / all;
    found_["double_chain_cycles"] = told(probes_.double_chain).cycles / (all / 8);
    found_["barrier_cycles"] = told(probes_.barriers).cycles / count(sizes_.rounds);
  }

  void shared_memory() {
    const double bytes = 4 * count(sizes_.items * sizes_.rounds / 4 * GridProbes::of_a_round);
    found_["shared_bytes_per_cycle"] = bytes / told(probes_.shared_reads).cycles;
    found_["shared_latency_cycles"] = told(probes_.shared_chain).cycles / count(sizes_.rounds);
  }

  void memories() {
    found_["l2_latency_cycles"] = told(probes_.cache_chain).cycles / count(sizes_.hops);
    found_["memory_latency_cycles"] = told(probes_.memory_chain, true).cycles / count(sizes_.hops);
    found_["l2_gbs"] = count(sizes_.cache * sizes_.times) / told(probes_.cache_reads).nanoseconds;
    found_["memory_gbs"] = count(sizes_.memory) / told(probes_.memory_reads, true).nanoseconds;
  }

  /// As kernels are timed when they are tuned.
  double lap_of(const kernel::Module& probe) {
    const std::array<void*, 2> buffers = {output_->handle(), input_->handle()};
    const auto lap = kernels_.at(&probe)->stopwatch({.buffers = buffers});
    const runtime::Timing timing = runtime::measure_laps(
        lap, {.warm_up = 3, .least = 5, .most = 200, .seconds = 0.03, .accuracy = 0});
    return 1e3 * timing.median_us;
  }

  void launches() {
    const double one = lap_of(probes_.one_launch), many = lap_of(probes_.many_launches);
    found_["launch_ns"] = one;
    found_["following_launch_ns"] = (many - one) / count(sizes_.launches - 1);
  }

  static constexpr int runs = 4;

  const runtime::Device& device_;
  ProbeSizes sizes_;
  int64_t multiprocessors_;
  GridProbes probes_;
  std::map<const kernel::Module*, std::shared_ptr<const runtime::LoadedKernel>> kernels_;
  std::shared_ptr<const runtime::DeviceMemory> output_, input_;
  std::map<std::string, double> found_;
};

/// Nothing if the number is missing or hardly believable.
std::optional<double> ratio_of(const GridCalibration& calibration, const GridNumber& number) {
  const auto measured = calibration.measured.find(number.name);
  if (measured == calibration.measured.end()) return std::nullopt;
  const double ratio = measured->second / number.usual;
  const bool is_believed = std::isfinite(ratio) && ratio >= 1 / number.most && ratio <= number.most;
  return is_believed ? std::optional(ratio) : std::nullopt;
}

}  // namespace

const std::vector<GridNumber>& grid_numbers() {
  using R = model::GridRates;
  static const std::vector<GridNumber> all = {
      {"cycles_per_ns", &R::clock, 1.914, 2.5},
      {"multiply_adds_per_cycle", &R::issued, 3.656, 4.5},
      {"double_per_single", &R::doubles, 0.5, 64},
      {"chain_cycles", &R::chain, 4.219, 3},
      {"double_chain_cycles", &R::double_chain, 8.126, 8},
      {"barrier_cycles", &R::barrier, 29.25, 4},
      {"shared_bytes_per_cycle", &R::shared_bytes, 127.5, 4},
      {"shared_latency_cycles", &R::shared_latency, 29, 3},
      {"l2_latency_cycles", &R::l2_latency, 305, 3},
      {"memory_latency_cycles", &R::memory_latency, 653, 3},
      {"l2_gbs", &R::l2_rate, 5850, 50},
      {"memory_gbs", &R::memory_rate, 3920, 100},
      {"launch_ns", &R::launch, 950, 10},
      {"following_launch_ns", &R::following, 900, 10},
  };
  return all;
}

bool may_be_calibrated(const runtime::Device& device) {
  return device.takes("cuda") && device.grid() && device.identity();
}

GridCalibration calibrate_grid(const runtime::Device& device, const ProbeSizes& sizes) {
  internal_check(may_be_calibrated(device), "'{}' is no device of CUDA", device.name());
  return {runtime::model_of(device), GridMeasurement(device, sizes).run(), tune::now_utc()};
}

model::GridRates rates_by(const GridCalibration& calibration) {
  model::GridRates rates;
  for (const GridNumber& number : grid_numbers()) {
    const double ratio = ratio_of(calibration, number).value_or(1);
    const bool differs = std::max(ratio, 1 / ratio) > hardly_different;
    if (differs) rates.*number.rate *= ratio;
  }
  return rates;
}

std::vector<std::string> not_believed(const GridCalibration& calibration) {
  std::vector<std::string> all;
  for (const GridNumber& number : grid_numbers()) {
    if (ratio_of(calibration, number)) continue;
    const auto measured = calibration.measured.find(number.name);
    all.push_back(
        measured == calibration.measured.end()
            ? fmt::format("{}: not measured", number.name)
            : fmt::format("{}: measured {:.3g}, hardly believable where an H200 has {:.3g}",
                          number.name, measured->second, number.usual));
  }
  return all;
}

std::string print(const GridCalibration& calibration) {
  Json json = {{"mdh_grid_rates", 1}, {"model", calibration.model}, {"measured", Json::object()}};
  for (const GridNumber& number : grid_numbers()) {
    const auto measured = calibration.measured.find(number.name);
    if (measured != calibration.measured.end()) json["measured"][number.name] = measured->second;
  }
  json["when"] = calibration.when;
  json["version"] = MDH_VERSION;
  return json.dump(1) + "\n";
}

std::optional<GridCalibration> parse_grid_calibration(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto has_text = [&](const char* name) {
    return json.contains(name) && json[name].is_string();
  };
  if (!json.is_object() || !json.contains("mdh_grid_rates") || json["mdh_grid_rates"] != 1 ||
      !has_text("model") || !has_text("when") || !json.contains("measured") ||
      !json["measured"].is_object()) {
    return std::nullopt;
  }
  GridCalibration calibration{json["model"], {}, json["when"]};
  for (const auto& [name, value] : json["measured"].items()) {
    if (!value.is_number() || !(value.get<double>() > 0)) return std::nullopt;
    calibration.measured[name] = value;
  }
  return calibration;
}

}  // namespace mdh::calibration
