#include "tests/campaign/shrink.h"

#include "mdh/passes/lower/lower.h"
#include "mdh/support/diagnostic.h"

namespace mdh::test {
namespace {

using Candidates = std::vector<ll::Config>;

void without_relocations(const ll::Config& config, bool of_inputs, Candidates& all) {
  for (const auto& [buffer, list] : of_inputs ? config.stage : config.acc) {
    for (size_t n = 0; n < list.size(); ++n) {
      ll::Config c = config;
      ll::Relocations& places = of_inputs ? c.stage : c.acc;
      places[buffer].erase(places[buffer].begin() + static_cast<std::ptrdiff_t>(n));
      if (places[buffer].empty()) places.erase(buffer);
      all.push_back(c);
      if (list[n].layout.empty()) continue;
      ll::Config plain = config;
      (of_inputs ? plain.stage : plain.acc)[buffer][n].layout.clear();
      all.push_back(plain);
    }
  }
}

/// Fewer parts of a level, or none; they may become parts of the first level of the dimension.
void without_levels(const ll::Config& config, Candidates& all) {
  for (const auto& [dimension, digits] : config.split) {
    for (size_t n = 0; n < digits.size(); ++n) {
      for (const int64_t parts : {int64_t{1}, digits[n].parts - 1}) {
        if (parts < 1 || parts >= digits[n].parts) continue;
        ll::Config c = config;
        c.split[dimension][n].parts = parts;
        all.push_back(c);
        if (n == 0 || parts != 1) continue;
        ll::Config moved = c;  // to the first level only, so that nothing moves in circles
        moved.split[dimension][0].parts *= digits[n].parts;
        all.push_back(moved);
      }
    }
  }
}

Candidates simpler(const ll::Config& config) {
  Candidates all;
  if (config.code != ll::Code{}) {
    all.push_back(config);
    all.back().code = {};
  }
  for (const auto& [phase, own] : config.phases) {
    all.push_back(config);
    all.back().phases.erase(phase);
  }
  if (!config.tags.empty()) {
    all.push_back(config);
    all.back().tags.clear();
  }
  without_relocations(config, true, all);
  without_relocations(config, false, all);
  without_levels(config, all);
  return all;
}

bool is_valid(const Triple& triple) {
  try {
    passes::lower(triple.program, triple.machine, triple.config);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Triple shrunk(const Triple& triple, const std::function<bool(const Triple&)>& fails) {
  Triple smallest = triple;
  bool again = true;
  while (again) {
    again = false;
    for (const ll::Config& config : simpler(smallest.config)) {
      const Triple candidate{smallest.program, smallest.machine, config};
      if (!is_valid(candidate) || !fails(candidate)) continue;
      smallest = candidate;
      again = true;
      break;
    }
  }
  return smallest;
}

}  // namespace mdh::test
