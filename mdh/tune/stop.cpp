#include "mdh/tune/stop.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace mdh::tune {

StopRule after_evaluations(size_t count) {
  StopRule rule;
  rule.reason = [count](const Progress& progress) -> std::optional<std::string> {
    if (progress.evaluations < count) return std::nullopt;
    return fmt::format("{} evaluations", count);
  };
  rule.room = [count](const Progress& progress) {
    return count - std::min(count, progress.evaluations);
  };
  return rule;
}

StopRule after_seconds(double seconds) {
  return {[seconds](const Progress& progress) -> std::optional<std::string> {
    if (progress.seconds < seconds) return std::nullopt;
    return fmt::format("{:g} s", seconds);
  }};
}

StopRule on_plateau(size_t evaluations, double gain) {
  return {[=](const Progress& progress) -> std::optional<std::string> {
    if (!progress.best || progress.without_gain(gain) < evaluations) return std::nullopt;
    return fmt::format("no gain in {} evaluations", evaluations);
  }};
}

StopRule at_cost(double cost) {
  return {[cost](const Progress& progress) -> std::optional<std::string> {
    if (!progress.best || *progress.best > cost) return std::nullopt;
    return fmt::format("cost {:g} reached", cost);
  }};
}

StopRule when(std::function<bool()> asked_to, std::string reason) {
  return {[asked_to = std::move(asked_to),
           reason = std::move(reason)](const Progress&) -> std::optional<std::string> {
    if (!asked_to()) return std::nullopt;
    return reason;
  }};
}

StopRule never_stop() {
  return {[](const Progress&) -> std::optional<std::string> { return std::nullopt; }};
}

StopRule any_of(std::vector<StopRule> rules) {
  const auto shared = std::make_shared<const std::vector<StopRule>>(std::move(rules));
  StopRule any;
  any.reason = [shared](const Progress& progress) -> std::optional<std::string> {
    for (const StopRule& rule : *shared) {
      if (auto reason = rule.reason(progress)) return reason;
    }
    return std::nullopt;
  };
  any.room = [shared](const Progress& progress) {
    size_t room = std::numeric_limits<size_t>::max();
    for (const StopRule& rule : *shared) room = std::min(room, rule.room(progress));
    return room;
  };
  return any;
}

StopRule called(std::string reason, StopRule rule) {
  StopRule renamed = rule;
  renamed.reason = [reason = std::move(reason),
                    rule](const Progress& progress) -> std::optional<std::string> {
    if (!rule.reason(progress)) return std::nullopt;
    return reason;
  };
  return renamed;
}

StopRule unless(std::function<bool()> excuse, StopRule rule) {
  StopRule excused = rule;
  excused.reason = [excuse = std::move(excuse),
                    rule](const Progress& progress) -> std::optional<std::string> {
    auto reason = rule.reason(progress);
    if (reason && excuse()) return std::nullopt;
    return reason;
  };
  return excused;
}

}  // namespace mdh::tune
