#include "mdh/driver/rates.h"

#include "mdh/calibration/grid_rates.h"
#include "mdh/calibration/rates.h"
#include "mdh/model/cost.h"
#include "mdh/support/diagnostic.h"

namespace mdh::driver {
namespace {

/// Nothing where there is no device, or nobody can tell which one.
std::optional<MachineIdentity> identity_if_there(const Target& target, const std::string& device) {
  if (target.runtime == nullptr) return std::nullopt;
  try {
    return target.runtime->open(device)->identity();
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    return std::nullopt;
  }
}

}  // namespace

model::Rates rates_on(const Target& target, const std::string& device,
                      const machine::Machine& machine, int cores) {
  model::Rates rates = calibration::rates_of(machine, cores);
  if (!model::has_groups(machine)) return rates;
  if (const auto identity = identity_if_there(target, device)) {
    rates.grid = calibration::known_grid_rates(*identity).rates;
    model::describe_by(machine, rates);
  }
  return rates;
}

}  // namespace mdh::driver
