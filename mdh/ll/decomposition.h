// What a configuration means on a machine: the one place where it is worked out.
//
// A computation is taken apart, loop by loop, until single points are left (de-composition). The
// scalar function f is applied to each of them, and the results are put together again, loop by
// loop (re-composition). A loop is a *digit*: one number of parts on one layer of the machine.
// Indices are written in these digits as numbers are written in decimal ones, i = 10 · tens + ones:
//
//   i = 6 · p(COR) + 2 · p(L1) + p(REG)         de-composition          re-composition
//       COR 4  L1 3  REG 2
//                                               ┌──── COR.i ────┐      ┌──── COR.i ────┐
//   24 indices; the part of every digit         │  ┌─ L1.i ─┐   │      │  ┌─ L1.i ─┐   │
//   says which piece of the piece around        │  │ REG.i  │   │  f   │  │ REG.i  │   │
//   it is meant.                                inputs: stagings       outputs: runs
//
// On the way in, inputs may be copied to other places, from some loop inwards (a *staging*). On the
// way out, results may gather in other places before they are complete (a *run* of loops that
// share one accumulator). Which of these are copies, which live in registers, how often they are
// filled, which cores share them and what happens at the edges of a dimension follows from the
// low-level program and the machine. The rules of configurations, the planner, the model of costs
// and reports all ask here, so that they cannot disagree.
//
// This is the intention. Where a back end could not keep a tile in registers its module says so.
#pragma once

#include <optional>
#include <vector>

#include "mdh/ll/edges.h"
#include "mdh/ll/footprint.h"
#include "mdh/ll/nest.h"
#include "mdh/ll/runs.h"
#include "mdh/ll/staging.h"

namespace mdh::ll {

/// Loops are numbered as in the nests: de-composition for inputs, re-composition for outputs.
/// Nests are made at once; the rest when it is asked for the first time. Not for several threads
/// at a time.
class Decomposition {
 public:
  /// The program and the machine outlive it.
  Decomposition(const Program& program, const machine::Machine& machine);

  const Program& program() const { return program_; }
  const hl::Program& computation() const { return program_.computation; }
  const machine::Machine& machine() const { return machine_; }

  const Nest& inputs() const { return inputs_; }
  const Nest& outputs() const { return outputs_; }
  Nest scalar() const;

  /// Outer loops that all phases have in common; inside of them each phase has its own.
  int fused_loops() const { return fused_; }

  /// Where inputs are copied, by buffer, from outside in.
  const std::vector<Staging>& stagings() const;

  /// Where results meet, from the user's buffers inwards.
  const std::vector<Run>& runs() const;

  /// What happens at the end of each dimension.
  const std::vector<DimensionEnd>& ends() const;

  /// Some tile of registers is computed as a whole: no dimension ends inside of the first one, or
  /// has loops that end at its edge. Where there is none, nothing is named element by element, and
  /// registers are arrays.
  bool has_whole_tiles() const;

  /// Exact counts of everything.
  const Footprint& footprint() const;

  /// Decisions about the code of a staging; the usual ones if there are none.
  StageCode code_of(const Staging& staging) const;

 private:
  const Program& program_;
  const machine::Machine& machine_;
  Nest inputs_, outputs_;
  int fused_ = 0;
  mutable std::optional<std::vector<Staging>> stagings_;
  mutable std::optional<std::vector<Run>> runs_;
  mutable std::optional<std::vector<DimensionEnd>> ends_;
  mutable std::optional<Footprint> footprint_;
};

/// The tile of an input lies in a place of its own, outside of registers: a copy in memory.
bool is_copy_in_memory(const Staging& staging);

}  // namespace mdh::ll
