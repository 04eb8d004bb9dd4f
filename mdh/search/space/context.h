// What the parts of a search space have in common (see search_space.h).
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mdh/ll/roles.h"
#include "mdh/search/search_space.h"
#include "mdh/tune/parameter.h"

namespace mdh::search::space {

struct SpaceDimension {
  std::string name;
  int64_t size = 1;
  bool is_kept = true, is_reduced = false;
  bool is_scattered = false;  // results that are neighbours along it are not so in memory
  bool is_scanned = false;
};

/// How the dimensions of the program walk along the axes of an input: their names and steps.
struct SpaceInput {
  using Axis = std::vector<std::pair<std::string, int64_t>>;
  std::string name;
  int64_t bytes = 0;  // of an element
  std::vector<Axis> axes;
};

/// The program with some dimensions joined.
struct SpaceVariant {
  std::string label;  // "none", "s,c"
  std::vector<std::vector<std::string>> fuse;
  hl::Program program;
  std::vector<SpaceDimension> dimensions;
  std::vector<SpaceInput> inputs = {};

  const SpaceDimension* find(const std::string& dimension) const;
};

/// The parts of every level: layer, dimension.
using LevelParts = std::map<std::string, std::map<std::string, int64_t>>;

struct SpaceContext {
  const machine::Machine& machine;
  ll::Roles layers;
  std::vector<std::vector<std::string>> significance;  // ways to order the digits of a dimension
  SpaceOptions options;
  std::vector<SpaceVariant> variants;
  std::vector<std::string> dimensions;       // of all variants
  std::vector<std::string> inputs, outputs;  // buffers
  bool has_lanes = true;                     // f can be computed on vectors
  std::vector<std::string> parts_names;      // of parameters for parts: "REG.i"

  /// The last answer of parts_at, and to what.
  struct Answer {
    std::string fuse;
    std::vector<int64_t> counts;
    LevelParts parts;
  };
  mutable Answer last;

  const SpaceVariant& variant(const std::string& label) const;
  bool is_gpu() const { return layers.cores.size() > 1; }

  /// That run at the same time: of a GPU its multiprocessors, where they are known.
  int64_t cores() const;
};

SpaceContext space_context(const hl::Program& program, const machine::Machine& machine,
                           SpaceOptions options);

/// Names of all parameters for parts: "REG.i".
std::vector<std::string> parts_names(const SpaceContext& context);

/// The same and "fuse": what a range reads that depends on where parts are.
std::vector<std::string> parts_and_fuse(const SpaceContext& context);

/// Rows of a grid whose members begin side by side.
inline const std::vector<std::string> swizzles = {"1", "4", "8"};

/// Ways to write out the innermost loop, groups that a multiprocessor has room for, and phases that
/// have an order of their own.
inline const std::vector<std::string> unrollings = {"no", "2", "4", "8", "all"};
inline const std::vector<std::string> group_counts = {"0", "1", "2", "3", "4", "6", "8"};
inline const std::vector<std::string> phases = {"same", "decomposition", "recomposition"};

/// The parts of every level at a point that holds parts_names() and "fuse"; the outer memory layer
/// takes what is left. Levels with one part are left out. Many ranges ask for the same point.
const LevelParts& parts_at(const SpaceContext& context, const tune::Point& point);

/// The dimensions that have several parts on a layer, in the order of the program.
std::vector<std::string> dimensions_on(const SpaceContext& context, const SpaceVariant& variant,
                                       const LevelParts& parts, const std::string& layer);

/// The words of "j,i,k".
std::vector<std::string> words_of(const std::string& list);

/// The loops of a point, from outside in: levels with several parts on the memory layers. It holds
/// "order." of both.
std::vector<ll::LevelName> loops_at(const SpaceContext& context, const tune::Point& point);

/// Which of them a place "L1+0" is before; nothing if it is before none.
std::optional<size_t> loop_number(const SpaceContext& context, const tune::Point& point,
                                  const std::string& place);

/// The names of a point that these read: parts, "fuse", and the orders of the memory layers.
std::vector<std::string> parts_and_loops(const SpaceContext& context);

/// "L1+2": the layer, and which of its levels.
std::pair<std::string, size_t> place_of(const std::string& label);

/// Elements of the buffer change along the dimension.
bool moves_along(const SpaceVariant& variant, const std::string& buffer,
                 const std::string& dimension);

/// The innermost loop.
std::optional<ll::LevelName> last_loop(const SpaceContext& context, const ll::Config& config);

/// The level order of a configuration whose split and order are known: the n-th level on a layer.
std::vector<ll::LevelName> levels_on(const ll::Config& config, const std::string& layer);

// ---- the parts of a space: parameters, and how a configuration is made from and read as a point

void add_levels(const SpaceContext& context, std::vector<tune::Parameter>& parameters);
void decode_levels(const SpaceContext& context, const tune::Point& point, ll::Config& config);
using NamedValues = std::map<std::string, tune::Value>;
void encode_levels(const SpaceContext& context, const ll::Config& config, NamedValues& values);

void add_places(const SpaceContext& context, std::vector<tune::Parameter>& parameters);
void decode_places(const SpaceContext& context, const tune::Point& point, ll::Config& config);
void encode_places(const SpaceContext& context, const ll::Config& config, NamedValues& values);

/// Behind levels and before places, which are levels of a phase.
void add_phases(const SpaceContext& context, std::vector<tune::Parameter>& parameters);
void decode_phases(const SpaceContext& context, const tune::Point& point, ll::Config& config);
void encode_phases(const SpaceContext& context, const ll::Config& config, NamedValues& values);

void add_code(const SpaceContext& context, std::vector<tune::Parameter>& parameters);
void decode_code(const SpaceContext& context, const tune::Point& point, ll::Config& config);
void encode_code(const SpaceContext& context, const ll::Config& config, NamedValues& values);

/// Of those, what becomes of copies, and what cores do: add_code and the others call them.
void add_copies(const SpaceContext& context, std::vector<tune::Parameter>& parameters);
void decode_copies(const SpaceContext& context, const tune::Point& point, ll::Config& config);
void encode_copies(const SpaceContext& context, const ll::Config& config, NamedValues& values);

void add_core_code(const SpaceContext& context, std::vector<tune::Parameter>& parameters);
void decode_core_code(const SpaceContext& context, const tune::Point& point, ll::Config& config);
void encode_core_code(const SpaceContext& context, const ll::Config& config, NamedValues& values);

/// The enumerator that a label names.
template <class Choice>
std::optional<Choice> choice_of(const std::string& label) {
  const auto& names = names_of(Choice{});
  const auto found = std::find(names.begin(), names.end(), label);
  if (found == names.end()) return std::nullopt;
  return static_cast<Choice>(found - names.begin());
}

// ---- what copies need

std::vector<SpaceInput> inputs_of(const hl::Program& program);

/// Whether the threads around a place have one copy together, or each its own: layouts digit by digit
/// have no room for what threads outside of them read.
enum class Shared { by_group, by_none };

/// Bytes of a copy that a group keeps from a place inwards, without padding: no more than it really
/// has. The point holds what parts_and_loops() names.
int64_t tile_bytes(const SpaceContext& context, const tune::Point& point, const std::string& buffer,
                   const std::string& place, Shared shared);

/// The same of the copy at a point that also holds its "pack." and its layout.
int64_t copy_bytes(const SpaceContext& context, const tune::Point& point,
                   const std::string& buffer);

/// The same of results that wait in the memory of a group: from a layer inwards, and of all outputs at
/// a point that holds "mid." of each.
int64_t bytes_of_results(const SpaceContext& context, const tune::Point& point,
                         const std::string& buffer, const std::string& layer);
int64_t bytes_of_results(const SpaceContext& context, const tune::Point& point);

/// Bytes that a group has for all of them.
int64_t capacity_of_groups(const SpaceContext& context);

/// Leaves the values that the options decide. A name that is no parameter is a user error.
void lock(const SpaceContext& context, std::vector<tune::Parameter>& parameters);

}  // namespace mdh::search::space
