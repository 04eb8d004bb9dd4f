#include "mdh/driver/low_level.h"

#include "mdh/driver/stages.h"
#include "mdh/hl/analysis.h"
#include "mdh/ll/decomposition.h"
#include "mdh/ll/diff.h"
#include "mdh/ll/partitions.h"
#include "mdh/ll/print.h"
#include "mdh/ll/rules.h"
#include "mdh/ll/schedule.h"
#include "mdh/ll/table.h"
#include "mdh/model/cost.h"
#include "mdh/model/grid_cost.h"
#include "mdh/passes/lower/derivation.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/support/files.h"

namespace mdh::driver {

bool is_low_level_stage(const std::string& stage) {
  return stage == "ll" || stage == "table" || stage == "derivation" || stage == "footprint" ||
         stage == "cost";
}

std::string print_low_level(const hl::Program& program, const machine::Machine& machine,
                            const ll::Config& config, const std::string& stage,
                            const model::Rates& rates) {
  const ll::Program low = passes::lower(program, machine, config);
  const ll::Decomposition d(low, machine);
  if (stage == "ll") return ll::print(low);
  if (stage == "table") return ll::print_table(config, low.computation, machine);
  if (stage == "derivation") return print(passes::derivation(program, machine, config));
  if (stage == "cost") {
    if (model::has_groups(machine)) {
      return print(model::estimate(model::shape_of(low.computation), d, rates.grid));
    }
    return print(model::estimate(model::shape_of(low.computation), d, rates), rates);
  }
  internal_check(stage == "footprint", "there is no stage '{}'", stage);
  return print(d.footprint(), low);
}

Resources resources(const hl::Program& program, const machine::Machine& machine,
                    const ll::Config& config) {
  const ll::Program low = passes::lower(program, machine, config);
  const ll::Footprint counts = ll::footprint(low, machine);
  Resources result{print(counts, low), {}};
  if (hl::is_concrete(low.computation)) {
    result.counts += fmt::format(
        "partitions that are exact: {}\n",
        ll::exact_partitions(hl::sizes(low.computation), static_cast<int>(machine.layers.size())));
  }
  for (const std::string& limit : soft_limits(counts, machine)) {
    result.warnings.push_back(fmt::format("machine '{}': {}", machine.name, limit));
  }
  return result;
}

std::string compare_configs(const std::string& left_file, const std::string& right_file) {
  const ll::Config left = ll::parse_config(read_file(left_file), left_file);
  const ll::Config right = ll::parse_config(read_file(right_file), right_file);
  const std::vector<ll::Difference> differences = ll::diff(left, right);
  return differences.empty() ? "no difference\n" : print(differences, left_file, right_file);
}

std::optional<ll::Config> read_config(const std::string& file) {
  const std::string text = read_file(file);
  if (ll::is_schedule(text)) return std::nullopt;
  return ll::parse_config(text, file);
}

ll::Config read_schedule(const std::string& file, const hl::Program& program,
                         const machine::Machine& machine) {
  return ll::parse_schedule(read_file(file), program, machine, file);
}

}  // namespace mdh::driver
