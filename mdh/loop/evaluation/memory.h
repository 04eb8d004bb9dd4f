// The memory of the loop evaluator: undefined elements and races are noticed.
#pragma once

#include <map>
#include <vector>

#include "mdh/loop/program.h"
#include "mdh/scalar/array.h"

namespace mdh::loop {

/// Who runs, and since when: in each team the share that is being run, and the number of barriers
/// so far. Statements outside of a team's Deals run on all of its cores alike.
struct Moment {
  int32_t owner[2] = {-1, -1};  // in the grid; among the cores of its member
  int64_t epoch[2] = {0, 0};
  int64_t warp = -1;  // of the core among those of its member; -1: nobody knows
  int64_t warp_epoch = 0;
  int64_t cluster = -1;  // members of the grid that meet each other; -1: nobody
  int64_t met = 0;       // how often they have
  friend bool operator==(const Moment&, const Moment&) = default;
};

/// Two accesses are ordered if they are on one core, or if a barrier of a team that both belong to,
/// or a meeting of their members of the grid, lies between them.
bool is_ordered(const Moment& earlier, const Moment& later);

/// One instance of a buffer.
class Memory {
 public:
  Memory(const std::string& name, scalar::Array content);

  void load(std::span<const int64_t> index, const Moment& now, std::vector<scalar::Value>& leaves);
  void store(std::span<const int64_t> index, const Moment& now,
             std::span<const scalar::Value> leaves);

  /// Indivisible, so that it does not race with others of its kind.
  void store_atomically(std::span<const int64_t> index, const Moment& now,
                        std::span<const scalar::Value> leaves);
  void load_atomically(std::span<const int64_t> index, std::vector<scalar::Value>& leaves) const;

  bool is_defined(std::span<const int64_t> index) const;
  bool is_empty() const;  // no element is defined

  /// An element will be stored, nobody knows when: it is undefined until then.
  void expect(std::span<const int64_t> index, const Moment& now);

  /// Begins anew: nothing is defined. Who still reads what was there is not forgotten.
  void undefine();
  /// Of so many parts of the same size, one does.
  void undefine(int64_t part, int64_t parts);

  const std::string& name() const { return name_; }
  const scalar::Array& content() const { return content_; }

 private:
  /// The last write of an element, the last read and, if there were any since, one of another
  /// member of the grid, one of another warp of the same member and one of the same warp.
  struct Trace {
    bool written = false, atomically = false, read = false, has_other[3] = {false, false, false};
    Moment writer, reader, other[3];
  };

  /// A write, and that it does not race.
  void write(int64_t at, const Moment& now, bool atomically = false);
  void fill(int64_t at, std::span<const scalar::Value> leaves);

  std::string name_;
  scalar::Array content_;
  int width_;
  std::vector<Trace> traces_;
};

/// All instances of one buffer, by the values of the digits it is per.
struct Instances {
  const Buffer* buffer;
  std::map<std::vector<int64_t>, Memory> by_digits;

  /// The instance of these digits, undefined at first.
  Memory& at(const std::vector<int64_t>& digits);

  /// Whether an instance can be meant where some digits have values.
  bool is_among(const std::vector<int64_t>& digits,
                const std::map<std::string, int64_t>& values) const;
};

}  // namespace mdh::loop
