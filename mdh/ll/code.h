// Decisions about the code that the fifteen parameters leave open: how a tile is copied, what
// happens at borders, how cores combine, how kernels are compiled. None of them changes what is
// computed. Each has a default, and only what differs from it is written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mdh::ll {

/// One level of the decomposition: a layer in a dimension, written "L1.k".
struct LevelName {
  std::string layer;
  std::string dimension;
  friend bool operator==(const LevelName&, const LevelName&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 of the default for a pointer
  friend auto operator<=>(const LevelName&, const LevelName&) = default;
};

/// "L1.k"; "f" for the scalar function.
std::string to_string(const LevelName& level);

enum class Transport { plain, registers, async };
enum class Hint { none, streaming, keep };
/// `automatic` leaves it to the passes, which choose what is fast where it is allowed.
enum class Edge { automatic, clamp, pad, mask, overlap };
enum class Combination {
  automatic,
  shuffle,
  team_tree,
  partials_kernel,
  last_core,
  cluster,
  atomic,
  look_back
};
enum class Deal { block, cyclic, dynamic };
enum class Contract { automatic, off, fast };
/// A launch that begins early has groups on the device while those of the launch before it run.
enum class Start { automatic, early };

/// Loads ahead: `distance` iterations of a level.
struct Prefetch {
  int64_t distance = 1;
  LevelName level;
  friend bool operator==(const Prefetch&, const Prefetch&) = default;
};

/// Far more than hides any memory's latency. Each tile in flight has room of its own.
inline constexpr int64_t most_in_flight = 64;

/// How the i-th tile of a buffer is stored and filled.
struct StageCode {
  int64_t pad = 0;   // elements added to a line
  int64_t line = 1;  // innermost dimensions of the layout that are one line
  /// Lines whose 16-byte pieces change places, each line in another way; 1: none.
  int64_t swizzle = 1;
  int64_t depth = 1;  // tiles in flight, at most most_in_flight
  Transport transport = Transport::plain;
  int64_t width = 0;                          // bytes of one transfer; 0: what fits
  std::map<std::string, int64_t> copy_order;  // tiling of the copy's loops, by dimension
  std::optional<Prefetch> prefetch;
  Hint hint = Hint::none;
  bool opaque = false;            // the compiler shall not look through the copy
  std::optional<LevelName> roll;  // keep what the next iteration of this level shares
  /// What is ahead at the end of the loop around the copy is for the next iteration of this level.
  std::optional<LevelName> across;
  friend bool operator==(const StageCode&, const StageCode&) = default;
};

/// Physical cores that run the parts of a layer.
struct CoresCode {
  int64_t count = 0;  // 0: one per part
  Deal deal = Deal::block;
  int64_t swizzle = 1;  // of a grid: rows whose members begin side by side
  friend bool operator==(const CoresCode&, const CoresCode&) = default;
};

struct KernelCode {
  std::map<LevelName, int64_t> unroll;
  std::string emit = "program";        // program, serpentine, or whose uses stay together
  std::vector<int64_t> launch_bounds;  // threads of a block, blocks of a core
  std::string compiler;
  std::vector<std::string> flags;
  Hint store = Hint::none;  // of results that are complete
  Start start = Start::automatic;
  Contract contract = Contract::automatic;
  friend bool operator==(const KernelCode&, const KernelCode&) = default;
};

struct Code {
  std::map<std::string, std::vector<StageCode>> stage;  // by buffer, in the order of its stagings
  std::map<std::string, Edge> edge;                     // by dimension
  std::map<LevelName, Combination> combine;
  std::map<std::string, CoresCode> cores;  // by layer
  KernelCode kernel;
  friend bool operator==(const Code&, const Code&) = default;
};

/// What differs from the defaults, as in configuration files, on one line.
std::string print(const Code& code);

/// The same, back; the file is for messages. `text` may have blanks around the object.
Code parse_code(std::string_view text, const std::string& file);

/// The names of the values, in the order of the enumerators.
const std::vector<std::string>& names_of(Transport);
const std::vector<std::string>& names_of(Hint);
const std::vector<std::string>& names_of(Edge);
const std::vector<std::string>& names_of(Combination);
const std::vector<std::string>& names_of(Deal);
const std::vector<std::string>& names_of(Contract);
const std::vector<std::string>& names_of(Start);

template <class Choice>
const std::string& name_of(Choice choice) {
  return names_of(choice)[static_cast<size_t>(choice)];
}

}  // namespace mdh::ll
