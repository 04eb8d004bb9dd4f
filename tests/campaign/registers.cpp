#include "tests/campaign/registers.h"

#include <algorithm>

#include "mdh/ll/decomposition.h"
#include "mdh/ll/roles.h"
#include "mdh/passes/plan/plan.h"

namespace mdh::test {
namespace {

bool is_promised(const ll::Decomposition& d) {
  const auto& edges = d.program().code.edge;
  const bool masks = std::any_of(edges.begin(), edges.end(),
                                 [](const auto& edge) { return edge.second == ll::Edge::mask; });
  return !masks && d.has_whole_tiles() && d.fused_loops() == d.outputs().depth() &&
         ll::roles_of(d.machine()).threads.empty();
}

}  // namespace

RegisterCount registers_of(const Prepared& one) {
  RegisterCount count;
  if (!is_promised(ll::Decomposition(one.low, one.triple.machine))) return count;
  const std::vector<std::string>& arrays = one.module.arrays;
  for (const std::string& name : passes::meant_for_registers(one.low, one.triple.machine)) {
    ++count.meant;
    count.kept += std::find(arrays.begin(), arrays.end(), name) == arrays.end();
  }
  return count;
}

}  // namespace mdh::test
