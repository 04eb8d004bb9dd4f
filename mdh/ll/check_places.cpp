#include <algorithm>
#include <set>

#include "mdh/ll/names.h"
#include "mdh/ll/rules.h"
#include "mdh/ll/tile.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

/// One kind of relocations: stage of inputs along de-composition, or acc of outputs along
/// re-composition.
class PlaceChecker {
 public:
  PlaceChecker(const Config& config, const hl::Program& program, const machine::Machine& machine,
               bool of_inputs)
      : config_(config),
        program_(program),
        machine_(machine),
        key_(of_inputs ? "stage" : "acc"),
        word_(of_inputs ? "from" : "inside"),
        buffers_(of_inputs ? program.inputs : program.outputs),
        others_(of_inputs ? program.outputs : program.inputs),
        order_(order_of(config, of_inputs ? "decomposition" : "recomposition")) {}

  void run(const Relocations& relocations) const {
    for (const auto& [name, list] : relocations) {
      const auto buffer = find_buffer(buffers_, name);
      if (!buffer) unknown_buffer(name);
      int position = -1, region = 0;
      for (const Relocation& one : list) {
        const std::string where = fmt::format("{}.{}", key_, name);
        check_level(where, one, position);
        check_region(where, one, region);
        if (!one.layout.empty()) check_layout(where, one, buffers_[*buffer], position);
        check_bounded(where, one, buffers_[*buffer], position);
      }
    }
  }

 private:
  [[noreturn]] void unknown_buffer(const std::string& name) const {
    std::vector<std::string> known;
    for (const hl::BufferView& buffer : buffers_) known.push_back(buffer.symbol.name);
    user_error("E340", {},
               fmt::format("{}: program '{}' has no {} '{}'", key_, program_.name,
                           key_ == "stage" ? "input" : "output", name),
               find_buffer(others_, name) ? other_key(name) : suggestion(name, known));
  }

  /// Results are not staged, and what is read is not accumulated.
  std::string other_key(const std::string& name) const {
    return key_ == "stage" ? fmt::format(
                                 "'{}' is an output, which cannot be staged: \"acc\" says "
                                 "where it is accumulated",
                                 name)
                           : fmt::format(
                                 "'{}' is an input, which is not accumulated: \"stage\" "
                                 "says where it is read",
                                 name);
  }

  void check_level(const std::string& where, const Relocation& one, int& position) const {
    const auto found = std::find(order_.begin(), order_.end(), one.from);
    if (found == order_.end() && to_string(one.from) != "f") {
      std::vector<std::string> known;
      for (const LevelName& level : order_) known.push_back(to_string(level));
      user_error(
          "E341", {},
          fmt::format("{}: \"{}\": {} is not in the order", where, word_, to_string(one.from)),
          suggestion(to_string(one.from), known));
    }
    const auto next = static_cast<int>(found - order_.begin());
    if (next <= position) {
      user_error(
          "E345", {},
          fmt::format("{}: {} is not inside of the level before it", where, to_string(one.from)),
          "list tiles from outside in, each at a level of its own");
    }
    position = next;
  }

  void check_region(const std::string& where, const Relocation& one, int& region) const {
    const int next = machine_.region_number(one.region);
    if (next < 0) {
      std::vector<std::string> known;
      for (const machine::Region& r : machine_.regions) known.push_back(r.name);
      user_error(
          "E342", {},
          fmt::format("{}: machine '{}' has no region '{}'", where, machine_.name, one.region),
          suggestion(one.region, known));
    }
    if (next < region) {
      user_error("E344", {},
                 fmt::format("{}: from {} inwards {} lies above {} (regions descend)", where,
                             to_string(one.from), one.region, machine_.regions[region].name),
                 "inner levels keep their data in the same or a faster region");
    }
    region = next;
  }

  // ---- layouts

  [[noreturn]] void bad_layout(const std::string& where, const Relocation& one,
                               const std::string& why, const std::string& hint) const {
    std::vector<std::string> axes;
    for (const LayoutAxis& axis : one.layout) axes.push_back(to_string(axis));
    user_error("E343", {}, fmt::format("{}: layout [{}]: {}", where, join(axes, ", "), why), hint);
  }

  void check_layout(const std::string& where, const Relocation& one, const hl::BufferView& buffer,
                    int position) const {
    std::set<std::pair<int, std::string>> seen;
    std::set<int> whole, digits;
    for (const LayoutAxis& axis : one.layout) {
      const auto dimension = find_axis(program_, buffer, axis.dimension);
      if (!dimension) {
        bad_layout(where, one, fmt::format("'{}' is no dimension of the buffer", axis.dimension),
                   "name the only dimension that walks along it, or its position 1, 2, ...");
      }
      if (!seen.emplace(*dimension, axis.layer).second) {
        bad_layout(where, one, fmt::format("'{}' occurs twice", to_string(axis)),
                   "a layout is a permutation");
      }
      (axis.layer.empty() ? whole : digits).insert(*dimension);
      if (!axis.layer.empty()) check_digit(where, one, buffer, axis, *dimension, position);
    }
    const auto rank = static_cast<int>(buffer.accesses.front().index.size());
    for (int e = 1; e <= rank; ++e) {
      if (whole.contains(e) != digits.contains(e)) continue;
      bad_layout(where, one,
                 fmt::format("dimension {} of the buffer is {}", e,
                             whole.contains(e) ? "there whole and in digits" : "missing"),
                 "every dimension stands once, whole or digit by digit");
    }
    for (const int e : digits) check_complete(where, one, buffer, e, position);
  }

  void check_digit(const std::string& where, const Relocation& one, const hl::BufferView& buffer,
                   const LayoutAxis& axis, int dimension, int position) const {
    const auto walks = walking_dimension(program_, buffer, static_cast<size_t>(dimension) - 1);
    if (!walks) {
      bad_layout(where, one,
                 fmt::format("'{}': several dimensions walk along it (a halo)", to_string(axis)),
                 "a halo is one axis and never split");
    }
    const LevelName level{axis.layer, program_.dimensions[*walks].symbol.name};
    const auto found = std::find(order_.begin(), order_.end(), level);
    if (found == order_.end() || found - order_.begin() < position) {
      bad_layout(
          where, one,
          fmt::format("{} is not a level from {} inwards", to_string(level), to_string(one.from)),
          "only the levels inside of the tile are digits of its layout");
    }
  }

  /// Every level inside of the tile with several parts is a digit of it.
  void check_complete(const std::string& where, const Relocation& one, const hl::BufferView& buffer,
                      int dimension, int position) const {
    const int walks =
        walking_dimension(program_, buffer, static_cast<size_t>(dimension) - 1).value();
    const std::string& name = program_.dimensions[walks].symbol.name;
    for (size_t q = static_cast<size_t>(position); q < order_.size(); ++q) {
      if (order_[q].dimension != name || !has_parts(order_[q])) continue;
      const bool listed =
          std::any_of(one.layout.begin(), one.layout.end(), [&](const LayoutAxis& axis) {
            return axis.layer == order_[q].layer &&
                   find_axis(program_, buffer, axis.dimension) == dimension;
          });
      if (!listed) {
        bad_layout(where, one, fmt::format("the digit {} is missing", to_string(order_[q])),
                   fmt::format("add \"{}@{}\"", name, order_[q].layer));
      }
    }
  }

  bool has_parts(const LevelName& level) const { return parts_of(level) != 1; }

  int64_t parts_of(const LevelName& level) const {
    const auto digits = config_.split.find(level.dimension);
    if (digits == config_.split.end()) return 1;
    for (const Digit& digit : digits->second) {
      if (digit.layer == level.layer) return digit.parts;
    }
    return 1;
  }

  // ---- open levels

  /// A copy outside of the user's region has a size that is known when it is compiled.
  void check_bounded(const std::string& where, const Relocation& one, const hl::BufferView& buffer,
                     int position) const {
    const machine::Region& region = *machine_.find_region(one.region);
    const bool copies = region.is_explicit || !one.layout.empty();
    if (!copies || machine_.region_number(one.region) == 0) return;
    for (size_t q = static_cast<size_t>(position); q < order_.size(); ++q) {
      const int dimension = find_dimension(program_, order_[q].dimension).value();
      const bool open =
          parts_of(order_[q]) == open_parts && !constant(program_.dimensions[dimension].size);
      if (!open || !walks_along(buffer, dimension)) continue;
      user_error("E354", {},
                 fmt::format("{}: the tile in {} spans the open level {}, so its size is unknown",
                             where, one.region, to_string(order_[q])),
                 fmt::format("begin the tile inside of {}", to_string(order_[q])));
    }
  }

  bool walks_along(const hl::BufferView& buffer, int dimension) const {
    for (const Family& family : families(program_, buffer)) {
      if (uses(program_, buffer, family, dimension)) return true;
    }
    return false;
  }

  const Config& config_;
  const hl::Program& program_;
  const machine::Machine& machine_;
  std::string key_, word_;
  const std::vector<hl::BufferView>& buffers_;
  const std::vector<hl::BufferView>& others_;  // of the program
  std::vector<LevelName> order_;
};

}  // namespace

void check_places(const Config& config, const hl::Program& program,
                  const machine::Machine& machine) {
  PlaceChecker(config, program, machine, true).run(config.stage);
  PlaceChecker(config, program, machine, false).run(config.acc);
}

}  // namespace mdh::ll
