// Machines, as the decomposition sees them: layers to partition over and regions to keep data in.
//
// Layers are not regions. A layer is a level of partitioning; its kind says what happens to its
// parts: a sequential loop, a team of cores, or copies side by side in one core (registers, lanes).
// A region is a memory; several layers may name one region, and a part on a layer is not copied
// anywhere by itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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
  bool lanes = false;  // replicated: the parts are the lanes of vectors
  friend bool operator==(const Layer&, const Layer&) = default;
};

struct Region {
  std::string name;
  bool is_explicit = false;  // a change of region is a copy; otherwise (caches) only a hint
  std::string owner;  // each core of this layer has its own; empty: one for the whole machine
  friend bool operator==(const Region&, const Region&) = default;
};

struct Machine {
  std::string name;
  std::string summary;
  std::vector<Layer> layers;    // memory layers, then core layers
  std::vector<Region> regions;  // the first one holds the user's buffers

  const Layer* find_layer(std::string_view layer) const;
  friend bool operator==(const Machine&, const Machine&) = default;
};

/// All machines known by name, one file each in devices/.
const std::vector<Machine>& machines();

/// A machine by name; a user error with the nearest name if there is none.
const Machine& find_machine(const std::string& name);

}  // namespace mdh::machine
