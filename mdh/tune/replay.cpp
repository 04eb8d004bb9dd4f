#include "mdh/tune/replay.h"

#include <limits>
#include <sstream>

#include <nlohmann/json.hpp>

#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"

namespace mdh::tune {

namespace {

Value recorded_value(const nlohmann::json& value) {
  if (value.is_number_integer()) return value.get<int64_t>();
  return value.is_string() ? Value(value.get<std::string>()) : Value(value.dump());
}

Outcome recorded_outcome(const nlohmann::json& line) {
  const auto time = line.find("time_us");
  if (time != line.end() && time->is_number()) return measured(time->get<double>());
  return failed(line.value("error", "no time recorded"));
}

}  // namespace

Recording::Recording(ListedSpace space, std::vector<Outcome> outcomes)
    : space_(std::move(space)),
      outcomes_(std::move(outcomes)),
      best_(std::numeric_limits<double>::infinity()) {
  internal_check(outcomes_.size() == space_.points().size(), "{} outcomes for {} points",
                 outcomes_.size(), space_.points().size());
  for (const Outcome& outcome : outcomes_) {
    if (outcome.cost) best_ = std::min(best_, *outcome.cost);
  }
}

const Outcome& Recording::outcome(const Point& point) const {
  const std::optional<size_t> index = space_.index_of(point);
  internal_check(index.has_value(), "'{}' is not recorded", point.key());
  return outcomes_[*index];
}

Recording parse_recording(const std::string& text) {
  std::vector<std::map<std::string, Value>> points;
  std::vector<Outcome> outcomes;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("config") || !json["config"].is_object()) {
      user_error("E720", {nullptr, number, 1}, "this line is not a recorded configuration",
                 "each line is {\"config\": {\"BM\": 64}, \"time_us\": 86.9}");
    }
    std::map<std::string, Value> point;
    for (const auto& [name, value] : json["config"].items()) point[name] = recorded_value(value);
    points.push_back(std::move(point));
    outcomes.push_back(recorded_outcome(json));
  }
  ListedSpace space(points);
  if (space.points().size() != points.size()) {
    user_error("E720", {}, "a configuration is recorded twice");
  }
  return Recording(std::move(space), std::move(outcomes));
}

Recording read_recording(const std::filesystem::path& path) {
  return parse_recording(read_file(path));
}

size_t evaluations_to_reach(const Recording& recording, const MakeTechnique& make,
                            const ReplayOptions& options) {
  const auto searcher = make(recording.space(), {.seed = options.seed});
  const Evaluate evaluate = [&](std::span<const Point> points) {
    std::vector<Outcome> outcomes;
    for (const Point& point : points) outcomes.push_back(recording.outcome(point));
    return outcomes;
  };
  const double goal = recording.best() * (1 + options.within);
  const SearchResult result = search(*searcher, evaluate, at_cost(goal),
                                     {.batch = options.batch, .clock = [] { return 0.0; }});
  const std::vector<Evaluation>& seen = result.history.evaluations();
  for (size_t n = 0; n < seen.size(); ++n) {
    if (seen[n].outcome.cost && *seen[n].outcome.cost <= goal) return n + 1;
  }
  return seen.size() + 1;
}

std::vector<size_t> replay(const Recording& recording, std::string_view technique, size_t seeds,
                           const ReplayOptions& options) {
  const MakeTechnique make = [technique](const SearchDomain& domain,
                                         const TechniqueOptions& given) {
    return make_technique(technique, domain, given);
  };
  return replay(recording, make, seeds, options);
}

std::vector<size_t> replay(const Recording& recording, const MakeTechnique& make, size_t seeds,
                           const ReplayOptions& options) {
  std::vector<size_t> counts;
  for (size_t seed = 1; seed <= seeds; ++seed) {
    ReplayOptions run = options;
    run.seed = seed;
    counts.push_back(evaluations_to_reach(recording, make, run));
  }
  return counts;
}

}  // namespace mdh::tune
