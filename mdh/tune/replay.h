// Searching recorded measurements instead of measuring: how techniques are tested and compared.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/tune/listed_space.h"
#include "mdh/tune/search.h"

namespace mdh::tune {

/// A space and the outcome of each of its points.
class Recording {
 public:
  Recording(ListedSpace space, std::vector<Outcome> outcomes);
  const ListedSpace& space() const { return space_; }
  const Outcome& outcome(const Point& point) const;
  double best() const { return best_; }

 private:
  ListedSpace space_;
  std::vector<Outcome> outcomes_;  // as the points of the space
  double best_;
};

/// JSON lines, one for each point: {"config": {"BM": 64, ...}, "time_us": 86.9}. A line without a
/// time failed, for the reason in "error". Other keys are ignored.
Recording read_recording(const std::filesystem::path& path);
Recording parse_recording(const std::string& text);

struct ReplayOptions {
  uint64_t seed = 1;
  double within = 0.02;  // of the best recorded cost
  size_t batch = 1;
};

/// As in the table of techniques.
using MakeTechnique =
    std::function<std::unique_ptr<Technique>(const SearchDomain&, const TechniqueOptions&)>;

/// How many evaluations a technique takes to come that close to the best.
size_t evaluations_to_reach(const Recording& recording, const MakeTechnique& make,
                            const ReplayOptions& options = {});

/// The same for seeds 1 ... `seeds`.
std::vector<size_t> replay(const Recording& recording, const MakeTechnique& make, size_t seeds,
                           const ReplayOptions& options = {});
std::vector<size_t> replay(const Recording& recording, std::string_view technique, size_t seeds,
                           const ReplayOptions& options = {});

}  // namespace mdh::tune
