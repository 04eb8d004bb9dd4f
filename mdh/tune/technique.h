// Search techniques: they ask for points and are told what the points cost.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/tune/domain.h"

namespace mdh::tune {

/// What became of a point: its cost, the smaller the better, or why it has none (it does not
/// compile, crashes, takes too long, computes something else).
struct Outcome {
  std::optional<double> cost;
  std::string failure;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

inline Outcome measured(double cost) { return {cost, {}}; }
inline Outcome failed(std::string reason) { return {std::nullopt, std::move(reason)}; }

class Technique {
 public:
  virtual ~Technique() = default;

  /// Up to `count` points, each asked for the first time. Fewer: there are no others left. It may
  /// be called again before the outcomes are told.
  virtual std::vector<Point> ask(size_t count) = 0;

  /// The outcome of a point. Points that were never asked for are welcome, too: what is known from
  /// an earlier run. They are not asked for any more.
  virtual void tell(const Point& point, const Outcome& outcome) = 0;
};

struct TechniqueOptions {
  uint64_t seed = 1;
  /// Points to begin with, the most promising first; may be empty.
  std::vector<Point> candidates;
};

/// One row of the table of techniques.
struct TechniqueRow {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Technique> (*make)(const SearchDomain& domain, const TechniqueOptions& options);
};

std::span<const TechniqueRow> techniques();

/// By name; "auto" is ours. The domain must outlive the technique. An unknown name is a user error.
std::unique_ptr<Technique> make_technique(std::string_view name, const SearchDomain& domain,
                                          const TechniqueOptions& options = {});

}  // namespace mdh::tune
