// How reports write down the machine.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/machine.h"

namespace mdh::bench {

inline nlohmann::ordered_json json_of(const MachineReport& machine) {
  return {{"cpu", machine.cpu},
          {"class", machine.kind},
          {"cores", machine.cores},
          {"system", machine.system}};
}

}  // namespace mdh::bench
