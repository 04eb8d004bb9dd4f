// Machines, as the decomposition sees them: layers to partition over, regions to keep data in, and
// the rules that a decomposition has to keep.
//
// Layers are not regions. A layer is a level of partitioning; its kind says what happens to its
// parts: a sequential loop, a team of cores, or copies side by side in one core (registers, lanes).
// A region is a memory; several layers may name one region, and a part on a layer is not copied
// anywhere by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/machine/constraint.h"

namespace mdh::machine {

enum class LayerKind {
  loop,        // parts one after the other
  cores,       // parts at the same time, on a team of cores
  replicated,  // parts side by side in one core: unrolled code or vector lanes, always innermost in
               // code
};

struct Layer {
  std::string name;
  LayerKind kind = LayerKind::loop;
  std::string region;
  bool lanes = false;                // replicated: the parts are the lanes of vectors
  bool barrier = false;              // cores: they can wait for one another inside a kernel
  std::vector<std::string> aliases;  // other names of the same layer, accepted everywhere
  std::optional<int64_t> count;      // cores: how many there are, where that is known
  friend bool operator==(const Layer&, const Layer&) = default;
};

struct Region {
  std::string name;
  bool is_explicit = false;  // a change of region is a copy; otherwise (caches) only a hint
  std::string owner;  // each core of this layer has its own; empty: one for the whole machine
  std::optional<int64_t> capacity;  // bytes of one instance
  bool soft = false;  // more than the capacity is slow, not wrong: registers spill, caches miss
  std::vector<std::string> aliases;
  friend bool operator==(const Region&, const Region&) = default;
};

/// Vector registers of one core; a machine without lanes has none.
struct Vectors {
  int64_t bytes = 0;      // of one register
  int64_t registers = 0;  // of one core
  friend bool operator==(const Vectors&, const Vectors&) = default;
};

struct Machine {
  std::string name;
  std::string summary;
  std::vector<Layer> layers;    // memory layers, then core layers, each from outside in
  std::vector<Region> regions;  // from large to fast; the first one holds the user's buffers
  std::vector<Constraint> constraints;
  Vectors vectors;
  /// So many neighbouring cores of a group run together, on a machine whose layers do not say so; 0:
  /// nobody knows. Only estimates ask for it.
  int64_t warp = 0;

  /// By name or alias; nothing if there is none.
  const Layer* find_layer(std::string_view layer) const;
  const Region* find_region(std::string_view region) const;

  /// Position of a region, largest first; -1 if there is none.
  int region_number(std::string_view region) const;

  friend bool operator==(const Machine&, const Machine&) = default;
};

/// The cores of a layer see one instance of the region: what one of them writes the others can
/// read.
bool shares(const Machine& m, const Layer& cores, const Region& region);

/// The cores of a layer may combine what each of them has to itself.
bool combines_privately(const Machine& m, const Layer& cores);

/// All rules: those of the machine itself, and those that follow from its regions, capacities and
/// visibility.
std::vector<Constraint> constraints(const Machine& m);

/// Names are unique, layers name regions, owners are layers of cores, constraints name what exists.
/// A user error otherwise, for machines are also read from files.
void verify(const Machine& m);

/// All machines known by name, one file each in devices/; the host, probed, is one of them.
const std::vector<Machine>& machines();

/// A machine by name, in any spelling (cuda_wrp, CUDA+WRP); a user error with the nearest name if
/// there is none.
const Machine& find_machine(std::string_view name);

/// A machine by name or, if the text ends in .json or contains a slash, from a file of the user's.
Machine load_machine(const std::string& name_or_file);

}  // namespace mdh::machine
