// The configurations of a program on a machine, as a space to search.
//
// A point says, for every level, how many parts it has, and with few words where the rest goes:
//
//   fuse           dimensions that are joined first
//   layers         a significance order of the machine's short list
//   REG.i, L1.k    parts; the outer memory layer takes what is left of a dimension
//   order.L1       the dimensions of a layer, outermost first
//   late           where replicated parts of reductions are combined: at once, or behind a loop
//   pack.A         a copy of a buffer: "L1+0" is before the first level on L1; .region, .layout
//   registers.A    from where on it is kept in registers
//   acc.C, mid.C   results in registers, and in a private memory between those and the user's
//   edge.i, ...    decisions about code that have an effect on the target
//   unroll, groups the innermost loop written out; groups that a multiprocessor has room for
//   combine.BLK    how cores combine or join their parts
//   tags           the dimension that cores count along the first axis of a launch, if any
//   phases         one of the phases has the levels of a tile of registers in reverse order
//
// Layers come in roles: layers of cores, two memory layers, one of registers and one of lanes. So a
// machine is not known by name here, and the layers that have no role are not used.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/ll/obeys.h"
#include "mdh/machine/machine.h"
#include "mdh/search/restrictions.h"
#include "mdh/tune/space.h"

namespace mdh::search {

struct SpaceOptions {
  int cores = 1;
  Restrictions restricted = {};  // of the paper
  /// Decisions that the target does not carry out are not tried. Without a word, those of threads.
  ll::Obeys obeys = {.prefetch = true,
                     .opaque = true,
                     .emit = true,
                     .store = true,
                     .compiler = true,
                     .team_tree = true};
  machine::Vectors vectors = {.bytes = 64, .registers = 32};  // bound tiles of registers
  /// Parameters that are decided: "split.j=COR 2, L1 64, REG 2, SIMD 4", "order.L1=j,i,k".
  std::vector<std::string> locks;
};

/// The validator accepts a configuration.
bool is_valid(const hl::Program& program, const machine::Machine& machine,
              const ll::Config& config);

class SearchSpace : public tune::SearchDomain {
 public:
  SearchSpace(const hl::Program& program, const machine::Machine& machine, SpaceOptions options);
  ~SearchSpace() override;

  const hl::Program& program() const;

  /// The parameters before the validator is asked.
  const tune::Space& parameters() const;

  ll::Config config(const tune::Point& point) const;

  /// The validator accepts the configuration of the point.
  bool is_valid(const tune::Point& point) const;

  /// The point of a configuration; nothing if there is none.
  std::optional<tune::Point> point(const ll::Config& config) const;

  /// The valid point that is most like a configuration, e.g. one for other sizes.
  std::optional<tune::Point> nearest_to(const ll::Config& config) const;

  /// The program with the dimensions of a point joined.
  const hl::Program& fused(const tune::Point& point) const;

  // ---- valid points only
  std::optional<tune::Count> size() const override { return std::nullopt; }
  tune::Point at(tune::Count index) const override;
  bool contains(const tune::Point& point) const override;
  tune::Point sample(Random& random) const override;
  std::vector<tune::Point> neighbours(const tune::Point& point) const override;
  tune::Point mutate(const tune::Point& point, Random& random) const override;
  std::vector<double> coordinates(const tune::Point& point) const override;
  tune::Point nearest(std::span<const double> coordinates) const override;
  std::vector<double> features(const tune::Point& point) const override;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace mdh::search
