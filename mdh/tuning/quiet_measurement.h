// Measurements that other programs disturb are taken again.
#pragma once

#include <functional>

#include "mdh/runtime/worker/message.h"

namespace mdh::tuning {

/// Others may soon be done: a measurement that they have disturbed is repeated after a pause, and
/// once more after a longer one. The least disturbed one counts. Where that did not help several
/// times in a row the load is here to stay: then measurements are repeated once, without a pause.
class QuietMeasurement {
 public:
  using Pause = std::function<void(double seconds)>;

  QuietMeasurement();
  explicit QuietMeasurement(Pause pause) : pause_(std::move(pause)) {}

  runtime::Outcome operator()(const std::function<runtime::Outcome()>& measure);

 private:
  Pause pause_;
  int in_vain_ = 0;  // measurements in a row that stayed loaded
};

}  // namespace mdh::tuning
