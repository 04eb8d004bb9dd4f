// The loops of a schedule while its calls are applied.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/ll/schedule_calls.h"

namespace mdh::ll {

enum class PieceRole { loop, groups, threads, vthread, lanes };

/// What splitting has left of a dimension.
struct Piece {
  int dimension = 0;
  int64_t parts = 1;
  PieceRole role = PieceRole::loop;
  std::string tag;  // of the machine's axis, where it is bound
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// A loop: one piece, or several that are fused.
struct ScheduleAxis {
  std::string name;
  std::vector<int> pieces;
};

enum class StageKind {
  compute,     // applies f; its dimensions are those of the program
  write_back,  // copies results; its dimensions are the concatenated ones
  copy,        // copies an input; its dimensions are those of the buffer
};

struct Stage {
  std::string name;
  StageKind kind = StageKind::compute;
  std::string buffer;
  std::string scope;  // shared, local; empty: the user's buffer
  std::vector<Piece> pieces;
  std::vector<std::vector<int>> digits;  // by dimension: pieces, most significant first
  std::vector<ScheduleAxis> axes;        // outermost first
  std::string parent;                    // computed at an axis of this stage
  int at = -1;                           // the innermost piece of that axis
  int64_t vector = 0;                    // copy: elements that one transfer moves
  Location where;
};

/// Loops inside of an axis are unrolled, from the innermost outwards, up to so many copies.
struct Unrolling {
  int piece = 0;  // of the stage that applies f
  int64_t steps = 1;
  Location where;
};

struct Stages {
  std::map<std::string, Stage> by_name;
  std::string compute;  // the stage that applies f
  std::vector<Unrolling> unrollings;
};

/// Applies all calls, one after the other. E362 unknown call, E363 unknown stage, E364 unknown
/// axis, E365 wrong arguments, E366 what cannot be done.
Stages apply_calls(const std::vector<ScheduleCall>& calls, const hl::Program& program,
                   const std::string& file);

}  // namespace mdh::ll
