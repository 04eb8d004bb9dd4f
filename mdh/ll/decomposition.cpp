#include "mdh/ll/decomposition.h"

namespace mdh::ll {

Decomposition::Decomposition(const Program& program, const machine::Machine& machine)
    : program_(program),
      machine_(machine),
      inputs_(nest_of(program, program.decompose, machine)),
      outputs_(nest_of(program, program.recompose, machine)),
      fused_(common_prefix(program)) {}

Nest Decomposition::scalar() const {
  return nest_of(program_, scalar_operators(program_), machine_);
}

const std::vector<Staging>& Decomposition::stagings() const {
  if (!stagings_) stagings_ = ll::stagings(program_, inputs_, machine_);
  return *stagings_;
}

const std::vector<Run>& Decomposition::runs() const {
  if (!runs_) runs_ = ll::runs(program_, outputs_, machine_);
  return *runs_;
}

const std::vector<DimensionEnd>& Decomposition::ends() const {
  if (!ends_) ends_ = dimension_ends(*this);
  return *ends_;
}

bool Decomposition::has_whole_tiles() const {
  for (size_t d = 0; d < ends().size(); ++d) {
    const LastTile last = ends()[d].last;
    const bool ends_inside = !inputs_.sizes[d] || *inputs_.sizes[d] < ends()[d].tile;
    if (last == LastTile::clamped || (ends_inside && last == LastTile::cut)) return false;
  }
  return true;
}

const Footprint& Decomposition::footprint() const {
  if (!footprint_) footprint_ = count(*this);
  return *footprint_;
}

StageCode Decomposition::code_of(const Staging& staging) const {
  return stage_code(program_, staging.buffer, staging.number);
}

bool is_copy_in_memory(const Staging& staging) { return !staging.is_hint && !staging.in_registers; }

}  // namespace mdh::ll
