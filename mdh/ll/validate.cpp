// The rules a configuration must keep.
#include <algorithm>
#include <set>

#include "mdh/hl/analysis.h"
#include "mdh/ll/config.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

class Validator {
 public:
  Validator(const Config& config, const hl::Program& program, const machine::Machine& machine)
      : config_(config), program_(program), machine_(machine) {
    for (const machine::Layer& layer : machine.layers) layer_names_.push_back(layer.name);
    for (const hl::Dimension& d : program.dimensions) dimension_names_.push_back(d.symbol.name);
  }

  void run() {
    check_layers();
    for (const auto& [dimension, digits] : config_.split) check_digits(dimension, digits);
    const std::vector<int64_t> sizes = hl::sizes(program_);
    for (size_t d = 0; d < sizes.size(); ++d) check_product(dimension_names_[d], sizes[d]);
    check_order();
  }

 private:
  void check_layer(const std::string& layer, const std::string& where) const {
    if (machine_.find_layer(layer)) return;
    user_error("E320", {},
               fmt::format("{}: machine '{}' has no layer '{}'", where, machine_.name, layer),
               suggestion(layer, layer_names_));
  }

  void check_dimension(const std::string& dimension, const std::string& where) const {
    const auto& known = dimension_names_;
    if (std::find(known.begin(), known.end(), dimension) != known.end()) return;
    user_error(
        "E321", {},
        fmt::format("{}: program '{}' has no dimension '{}'", where, program_.name, dimension),
        suggestion(dimension, known));
  }

  void check_layers() {
    std::set<std::string> seen;
    for (const std::string& layer : config_.layers) {
      check_layer(layer, "layers");
      if (!seen.insert(layer).second) {
        user_error("E322", {}, fmt::format("layers: '{}' is listed twice", layer),
                   "each layer has one place in the order of significance");
      }
    }
  }

  void check_digits(const std::string& dimension, const std::vector<Digit>& digits) {
    const std::string where = fmt::format("split.{}", dimension);
    check_dimension(dimension, "split");
    auto next = config_.layers.begin();
    for (const Digit& digit : digits) {
      check_layer(digit.layer, where);
      if (digit.parts < 1 || digit.parts > (int64_t{1} << 40)) {
        user_error("E323", {},
                   fmt::format("{}: \"{} {}\" has no valid number of parts", where, digit.layer,
                               digit.parts),
                   "a level has 1 to 2^40 parts");
      }
      const auto found = std::find(config_.layers.begin(), config_.layers.end(), digit.layer);
      if (found == config_.layers.end()) {
        user_error("E324", {},
                   fmt::format("{}: layer '{}' is missing in \"layers\"", where, digit.layer),
                   "list every layer that is used, most significant first");
      }
      if (found < next) {
        user_error("E325", {},
                   fmt::format("{}: '{}' is out of order or used twice", where, digit.layer),
                   "digits follow the order of \"layers\": " + join(config_.layers, ", "));
      }
      next = found + 1;
    }
  }

  void check_product(const std::string& dimension, int64_t size) const {
    int64_t product = 1;
    const auto digits = config_.split.find(dimension);
    if (digits != config_.split.end()) {
      for (const Digit& digit : digits->second) {
        if (__builtin_mul_overflow(product, digit.parts, &product) || product > int64_t{1} << 60) {
          user_error("E327", {},
                     fmt::format("split.{}: more parts than 64-bit indices allow", dimension));
        }
      }
    }
    if (product >= size) return;
    user_error(
        "E326", {},
        fmt::format("split.{}: {} parts do not cover the size {} (full partitioning)", dimension,
                    product, size),
        fmt::format("multiply one of the counts by at least {}", (size + product - 1) / product));
  }

  void check_order() {
    std::set<std::string> seen;
    for (const LevelName& level : config_.order) {
      check_layer(level.layer, "order");
      check_dimension(level.dimension, "order");
      if (!seen.insert(to_string(level)).second) {
        user_error("E328", {}, fmt::format("order: level {} occurs twice", to_string(level)),
                   "every level is one loop");
      }
    }
    for (const auto& [dimension, digits] : config_.split) {
      for (const Digit& digit : digits) {
        const std::string level = to_string({digit.layer, dimension});
        if (digit.parts > 1 && !seen.contains(level)) {
          user_error("E329", {},
                     fmt::format("order: level {} has {} parts, but no place", level, digit.parts),
                     fmt::format("add \"{}\" to \"order\"", level));
        }
      }
    }
  }

  const Config& config_;
  const hl::Program& program_;
  const machine::Machine& machine_;
  std::vector<std::string> layer_names_, dimension_names_;
};

}  // namespace

std::string to_string(const LevelName& level) { return level.layer + "." + level.dimension; }

void validate(const Config& config, const hl::Program& program, const machine::Machine& machine) {
  Validator(config, program, machine).run();
}

}  // namespace mdh::ll
