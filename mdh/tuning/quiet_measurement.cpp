#include "mdh/tuning/quiet_measurement.h"

#include <chrono>
#include <thread>
#include <vector>

#include "mdh/runtime/load.h"

namespace mdh::tuning {
namespace {

constexpr int hopeless_after = 4;

bool is_disturbed(const runtime::Outcome& outcome) {
  return outcome.status == runtime::WorkStatus::ok && is_loaded(outcome.timing);
}

}  // namespace

QuietMeasurement::QuietMeasurement()
    : pause_([](double seconds) {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      }) {}

runtime::Outcome QuietMeasurement::operator()(const std::function<runtime::Outcome()>& measure) {
  runtime::Outcome best = measure();
  const std::vector<double> pauses =
      in_vain_ < hopeless_after ? std::vector<double>{0.05, 0.2} : std::vector<double>{0};
  for (const double pause : pauses) {
    if (!is_disturbed(best)) break;
    if (pause > 0) pause_(pause);
    runtime::Outcome again = measure();
    const bool failed = again.status != runtime::WorkStatus::ok;
    if (failed || again.timing.load < best.timing.load) best = std::move(again);
  }
  in_vain_ = is_disturbed(best) ? in_vain_ + 1 : 0;
  return best;
}

}  // namespace mdh::tuning
