// What compile time gives run time: source text and how to call it. Knows nothing of IRs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace mdh::kernel {

/// One buffer of a kernel. Arguments are passed outputs first, in declaration order, row-major.
struct Argument {
  std::string name;
  std::string type;  // "f32"
  int bytes_per_element = 0;
  std::vector<int64_t> extents;
  bool is_output = false;
  std::vector<int> in_place = {};  // an output: arguments that may be the same memory
  int64_t alignment = 0;           // bytes that the code relies on; 0: that of an element

  int64_t elements() const;
  int64_t bytes() const { return elements() * bytes_per_element; }

  /// What the address of the buffer has to be a multiple of. Elements are scalars of up to eight
  /// bytes and records of them, which are aligned as their largest field is: no more than the
  /// largest power of two in their size.
  int64_t aligned_to() const {
    if (alignment > 0) return alignment;
    const int64_t power = bytes_per_element & -bytes_per_element;
    return power == 0 ? 1 : power > 8 ? 8 : power;
  }
};

/// One call of a compiled function. On devices it runs on a grid of groups of items, three axes
/// each, the last one slowest; C knows neither.
struct Launch {
  std::string function;
  std::array<int64_t, 3> groups = {1, 1, 1};
  std::array<int64_t, 3> items = {1, 1, 1};  // of a group
  int64_t local_bytes = 0;                   // that the items of a group share
  /// Groups that run at the same time, along each axis; groups are whole numbers of that.
  std::array<int64_t, 3> cluster = {1, 1, 1};
  bool in_order = false;  // groups wait for those before them: they have to begin in their order
  friend bool operator==(const Launch&, const Launch&) = default;
};

struct Step;

/// A loop of the host around launches: what cores that cannot wait for one another need where they
/// would have to. Functions get the indices of all loops around their launch, outermost first, as
/// 64-bit integers behind their buffers.
struct Repeat {
  int64_t count = 1;
  std::vector<Step> body;
  friend bool operator==(const Repeat&, const Repeat&);
};

/// What the host does, in order; each launch waits for the one before it.
struct Step {
  std::variant<Launch, Repeat> is;
  friend bool operator==(const Step&, const Step&) = default;
};

/// Calls `launch` for every launch in order, with the indices of the loops around it.
using LaunchVisitor = std::function<void(const Launch&, std::span<const int64_t> indices)>;
void for_each_launch(std::span<const Step> steps, const LaunchVisitor& launch);

/// Every launch once, however often it is repeated, with the number of loops around it.
using WrittenLaunchVisitor = std::function<void(const Launch&, size_t loops)>;
void for_each_written_launch(std::span<const Step> steps, const WrittenLaunchVisitor& launch);

struct Module {
  std::string language;  // "c", "opencl", "cuda"
  std::string name;
  std::string source;
  std::vector<Step> steps;
  std::vector<Argument> arguments;
  int64_t workspace_bytes = 0;  // that all cores share
  /// Of the workspace, at its beginning: 0 before the first call. What a call leaves there the next
  /// one finds.
  int64_t zeroed_bytes = 0;
  int64_t workspace_bytes_per_core = 0;  // behind them, a piece for every core
  int parts_on_cores = 1;                // more threads than this have nothing to do
  bool contract_allowed = true;          // fused multiply-add does not change decisions
  bool combines_in_any_order = false;    // so that floats are rounded differently from run to run
  std::string compiler = {};             // "gcc", "clang" or a program; empty: any
  std::vector<std::string> flags = {};   // for the compiler, besides its own
  /// Temporaries that were to be in registers and are arrays, because loops run over them.
  std::vector<std::string> arrays = {};

  /// Threads that can have something to do; no machine grants more than the limit.
  int threads() const;
  static constexpr int most_threads = 256;

  /// Bytes of the workspace for that many threads.
  int64_t workspace() const { return workspace_bytes + threads() * workspace_bytes_per_core; }
};

}  // namespace mdh::kernel
