#include "mdh/tuning/fallback.h"

#include <algorithm>
#include <array>

namespace mdh::tuning {

bool is_failure_of_kernel(const Diagnostic& d) {
  constexpr std::array<std::string_view, 12> codes = {"E602", "E603", "E604", "E605",
                                                      "E607", "E609", "E615", "E616",
                                                      "E617", "E618", "E619", "E620"};
  // Without a code: the compiler refuses what mdh printed, or mdh found itself to be wrong.
  return (d.kind == DiagnosticKind::internal && d.code.empty()) ||
         std::find(codes.begin(), codes.end(), d.code) != codes.end();
}

Remaining without_best(const hl::Program& program, const Site& where,
                       std::vector<tune::Record> records, const Diagnostic& failure) {
  const BestConfig best = best_config(program, where, records);
  internal_check(best.found.has_value(), "there is no record that failed");
  const tune::Record& failed = best.found->record;
  std::erase_if(records, [&](const tune::Record& r) { return r.config == failed.config; });
  const std::string first_line = failure.message.substr(0, failure.message.find('\n'));
  return {std::move(records),
          fmt::format("the {} ({}) is not used: {}{}",
                      is_shipped(failed) ? "tuned configuration" : "record", describe(failed),
                      first_line, failure.code.empty() ? "" : " [" + failure.code + "]")};
}

}  // namespace mdh::tuning
